(set-info :source |none|)
(push 1)
(declare-datatypes ((t 0)) (((a) (b))))
(check-sat)
(check-sat)
(assert false)
(solve)
nothing
