; The place that %p means has another name, %p2: what is stored through that one is what is loaded. b becomes what n is.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@a = global i32 0
@b = global i32 0
declare i32 @__VERIFIER_nondet_int()
declare void @reach_error()
define void @inc(ptr %q, i32 %n) {
  %c = icmp sgt i32 %n, 0
  br i1 %c, label %more, label %end
more:
  %v = load i32, ptr %q
  %w = add i32 %v, 1
  store i32 %w, ptr %q
  %m = sub i32 %n, 1
  call void @inc(ptr %q, i32 %m)
  br label %end
end:
  ret void
}
define void @f(ptr %p, ptr %p2, i32 %n) {
  store ptr @a, ptr %p
  store ptr @b, ptr %p2
  %q = load ptr, ptr %p
  call void @inc(ptr %q, i32 %n)
  ret void
}
define i32 @main() {
  %x = alloca ptr
  %n = call i32 @__VERIFIER_nondet_int()
  call void @f(ptr %x, ptr %x, i32 %n)
  %r = load i32, ptr @b
  %k = mul i32 %r, 3
  %c = icmp eq i32 %k, 231369
  br i1 %c, label %bad, label %good
bad:
  call void @reach_error()
  br label %good
good:
  ret i32 0
}
