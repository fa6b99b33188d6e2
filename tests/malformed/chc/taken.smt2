(declare-fun p () Bool)
(declare-fun p (Int) Bool)
(define-fun p () Int 1)
