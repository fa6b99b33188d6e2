(declare-fun f (Int) Int)
(declare-const c Int)
