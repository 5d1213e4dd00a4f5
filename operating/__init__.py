"""What language server, bridge and coordinator have alike for their operators: who may call, and what is seen of them.

It knows none of the three.
"""
