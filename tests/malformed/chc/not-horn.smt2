(declare-fun p (Int) Bool)
(declare-fun q (Int) Bool)
(assert (forall ((x Int)) (or (p x) (q x) (not (= x 1)))))
