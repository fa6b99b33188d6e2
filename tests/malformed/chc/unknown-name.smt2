(declare-fun p (Int) Bool)
(assert (forall ((x Int))
  (=> (and (p x) (> y 1)) false)))
