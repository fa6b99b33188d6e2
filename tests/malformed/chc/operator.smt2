(declare-fun p (Int) Bool)
(assert (forall ((x Int) (b Bool)) (=> (+ b x) (p x))))
(assert (forall ((x Int)) (=> (select x 1) (p x))))
