(set-logic HORN)
(assert (forall ((x Int)) (=> (= x 1) false))
