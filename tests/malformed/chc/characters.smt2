(assert (= 1 12a))
