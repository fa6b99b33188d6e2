(declare-fun p (Int Str) Bool)
