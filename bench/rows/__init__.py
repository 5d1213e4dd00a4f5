"""What is measured: every module here has `rows(context)`, see bench/README.md."""
