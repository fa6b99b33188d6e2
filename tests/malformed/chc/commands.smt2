(set-info :source |none|)
(push 1)
(pop 1)
(check-sat)
(check-sat)
(assert false)
(solve)
nothing
