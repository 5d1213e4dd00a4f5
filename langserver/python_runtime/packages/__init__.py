"""The operator's packages (LANG_PYTHON_MODULES): loaded and exercised in the zygote, real modules to every program.

With them the policy is void: numpy alone reads and writes any memory of its process. The kernel layers are the walls.
"""
