"""Problems of the paper's sizes, other solvers to compare with, and the benchmarks proper."""
