(assert true) \ (check-sat)
