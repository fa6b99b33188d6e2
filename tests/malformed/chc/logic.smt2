(set-logic QF_LIA)
