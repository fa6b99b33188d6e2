(declare-fun p (Int Bool) Bool)
(assert (p 1))
(assert (p 1 2))
