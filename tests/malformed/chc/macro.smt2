(define-fun f ((x Int)) Bool (+ x 1))
(assert (f 1))
(define-fun g (x) Bool true)
