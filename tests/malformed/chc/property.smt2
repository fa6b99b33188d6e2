(declare-fun p (Int) Bool)
