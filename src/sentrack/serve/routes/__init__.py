"""The addresses that the server answers, a module for each group."""
