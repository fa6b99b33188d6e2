(declare-fun p (Bool) Bool)
(declare-fun q (Int) Bool)
(assert (forall ((x Int)) (=> (p (q x)) false)))
(assert (forall ((y Bool)) (=> (forall ((x Int)) (q x)) (p y))))
