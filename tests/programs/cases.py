"""C programs with what is to be said of them: (name, property, expected, source). `K(c)` is an assertion whose failure
calls reach_error; expected is safe, unsafe, unknown, or the beginning of a message."""

HEAD = """extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
void reach_error(void);
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t);
void *calloc(size_t, size_t);
void free(void *);
void abort(void);
void *memcpy(void *, const void *, size_t);
#define K(c) do { if (!(c)) reach_error(); } while (0)
#define N __VERIFIER_nondet_int()
"""

R, O, M, C = "unreach-call", "no-overflow", "valid-memsafety", "valid-memcleanup"

CASES = [
    ("order of evaluation", R, "safe", "int main(void){int x=N, y; y=x++; K(y==x-1||x==-2147483647-1);}"),
    ("swap in one block", R, "safe", "int main(void){int a=N,b=N,t=a,c=a,d=b; a=b; b=t; K(a==d&&b==c);}"),
    ("conditional value", R, "safe", "int main(void){int a=N; int b=a>3?a:3; K(b>=3);}"),
    ("several phi at once", R, "safe",
     "int main(void){int a=N,b=N; int p=a&&b, q=a||b; K(!p||q); K(q||!p); K(p==((a!=0)&(b!=0)));}"),
    ("nested loops", R, "safe",
     "int main(void){int s=0; for(int i=0;i<3;i++) for(int j=0;j<4;j++) s++; K(s==12);}"),
    ("nested loops, wrong", R, "unsafe",
     "int main(void){int s=0; for(int i=0;i<3;i++) for(int j=0;j<4;j++) s++; K(s!=12);}"),
    ("calls and globals", R, "safe",
     "int g; int inc(int k){g+=k; return g;} int main(void){int a=inc(2), b=inc(3); K(a==2&&b==5&&g==5);}"),
    ("static local", R, "safe", "int f(void){static int c=3; return c++;} int main(void){f(); K(f()==4);}"),
    ("recursion within the depth", R, "unsafe", "int f(int n){return n<=0?0:1+f(n-1);} int main(void){K(f(3)!=3);}"),
    ("recursion beyond the depth", R, "unknown",
     "int f(int n){return n<=0?0:1+f(n-1);} int main(void){int n=N; if(n<0||n>1000) return 0; K(f(n)==n);}"),
    ("array with a variable index", R, "safe",
     "int main(void){int a[4]={1,2,3,4}; unsigned i=__VERIFIER_nondet_uint(); if(i<4) K(a[i]==(int)i+1);}"),
    ("write through one of two pointers", R, "safe",
     "int main(void){int x=1,y=2,*p=N?&x:&y; *p=7; K((x==7&&y==2)||(x==1&&y==7));}"),
    ("write through one of two pointers, wrong", R, "unsafe",
     "int main(void){int x=1,y=2,*p=N?&x:&y; *p=7; K(x==7);}"),
    ("pointer to pointer", R, "safe", "int main(void){int x=1,*p=&x,**q=&p; **q=5; K(x==5&&*p==5);}"),
    ("copy of a structure", R, "safe",
     "struct s{int a; char b; int *c;}; int main(void){int x=3; struct s s={1,2,&x},t; t=s; s.a=9; *t.c=4; K(t.a==1&&t.b==2&&x==4);}"),
    ("memcpy that overlaps nothing", R, "safe",
     "int main(void){int a[3]={1,2,3},b[3]; memcpy(b,a,sizeof a); K(b[0]+b[1]+b[2]==6);}"),
    ("table of structures", R, "safe",
     "struct s{int a,b;} t[3]={{1,2},{3,4},{5,6}}; int main(void){unsigned i=__VERIFIER_nondet_uint(); if(i<3) K(t[i].b==t[i].a+1);}"),
    ("large array", R, "unsafe",
     "int a[1000]; int main(void){int i=N; if(i<0||i>=1000) return 0; a[i]=5; K(a[500]==0);}"),
    ("large array, right", R, "safe",
     "int a[1000]; int main(void){int i=N; if(i<0||i>=1000) return 0; a[i]=5; K(a[500]==0||i==500);}"),
    ("read outside is no proof", R, "unknown",
     "int main(void){int a[2]={1,2}; int i=N; if(i<0||i>2) return 0; K(a[i]==i+1);}"),
    ("bytes of a number", R, "safe",
     "union u{unsigned i; unsigned char c[4];}; int main(void){union u u; u.i=0x01020304; K(u.c[0]==4&&u.c[3]==1);}"),
    ("division and remainder", R, "safe?",
     "int main(void){int a=N,b=N; if(b==0||(b==-1&&a==-2147483647-1)||a>20||a<-20||b>5||b<-5) return 0; K(a/b*b+a%b==a);}"),
    ("switch that falls through", R, "safe",
     "int main(void){int x=N,r=0; switch(x){case 1: r=1; case 2: r+=2; break; default: r=9;} K(x==1?r==3:x==2?r==2:r==9);}"),
    ("undeclared function", R, "unsafe", "int main(void){K(unknown_function(3)!=17);}"),
    ("assume ends a path", R, "safe",
     "void assume(int c){if(!c) abort();} int main(void){int x=N; assume(x>5); K(x>4);}"),
    ("infinite loop", R, "safe", "int main(void){while(1){} reach_error();}"),
    ("pointer to a function", R, "safe",
     "int f(int x){return x+1;} int g(int x){return x+2;} int main(void){int (*p)(int)=N?f:g; int r=p(1); K(r==2||r==3);}"),
    ("signed overflow wraps here", R, "safe",
     "int main(void){int x=2147483647; x++; K(x<0);}"),
    ("overflow of a sum", O, "unsafe", "int main(void){int x=N; return x+1;}"),
    ("overflow in a dead expression", O, "unsafe", "int main(void){int x=N; x-1; return 0;}"),
    ("guarded sum", O, "safe", "int main(void){int x=N; if(x<100) return x+1;}"),
    ("overflow of a product", O, "unsafe", "int main(void){int x=N; if(x>0&&x<50000) return x*x;}"),
    ("product that fits", O, "safe", "int main(void){int x=N; if(x>-1000&&x<1000) return x*x;}"),
    ("unsigned numbers wrap", O, "safe", "int main(void){unsigned x=__VERIFIER_nondet_uint(); return (x+1u)>x;}"),
    ("after free", M, "unsafe", "int main(void){int *p=malloc(4); free(p); return *p;}"),
    ("free twice", M, "unsafe", "int main(void){int *p=malloc(4); free(p); free(p);}"),
    ("list of two", M, "safe?", # safe, whoever is first: not every engine has a proof that is decided in time
     "struct n{struct n*next;}; int main(void){struct n*h=0; for(int i=0;i<2;i++){struct n*k=malloc(sizeof*k); k->next=h; h=k;}"
     " while(h){struct n*k=h->next; free(h); h=k;}}"),
    ("lost block", M, "unsafe", "int main(void){int *p=malloc(4); p=malloc(4); free(p);}"),
    ("pointer to a dead variable", M, "unsafe", "int *f(void){int x=1; int *p=&x; return p;} int main(void){return *f();}"),
    ("index of one too many", M, "unsafe", "int main(void){int a[3]; for(int i=0;i<=3;i++) a[i]=0;}"),
    ("all indices good", M, "safe", "int main(void){int a[3]; for(int i=0;i<3;i++) a[i]=0;}"),
    ("block of variable size", M, "unsafe",
     "int main(void){int n=N; if(n<1||n>100) return 0; char *p=malloc(n); p[n]=0; free(p);}"),
    ("block of variable size, right", M, "safe",
     "int main(void){int n=N; if(n<1||n>100) return 0; char *p=malloc(n); p[n-1]=0; free(p);}"),
    ("null pointer", M, "unsafe", "int main(void){int *p=0; if(N) *p=1;}"),
    ("pointer to the life before of a variable", M, "unsafe",
     "int *g; int f(int first){int x=1; if(!first) return *g; g=&x; return 0;} int main(void){for(int i=0;i<2;i++) f(i==0);}"),
    ("pointer to the life before of a variable, with an input", M, "unknown",
     "int *g; int f(int first){int x=N; if(!first) return x?*g:1; g=&x; return 0;} int main(void){for(int i=0;i<2;i++) f(i==0);}"),
    ("functions of strings", R, "safe",
     "size_t strlen(const char*); int strcmp(const char*,const char*); char *strcpy(char*,const char*); char *strchr(const char*,int);"
     "int main(void){char a[8]; strcpy(a,\"hello\"); K(strlen(a)==5); K(!strcmp(a,\"hello\")); K(*strchr(a,'l')=='l'); K(!strchr(a,'z'));}"),
    ("length of an arbitrary string", R, "safe",
     "size_t strlen(const char*); int main(void){char a[4]; for(int i=0;i<3;i++) a[i]=__VERIFIER_nondet_char(); a[3]=0; K(strlen(a)<=3);}"),
    ("string that does not fit", M, "unsafe",
     "char *strcpy(char*,const char*); int main(void){char a[4]; strcpy(a,\"four\");}"),
    ("realloc keeps what there was", R, "safe",
     "void *realloc(void*,size_t); int main(void){int x=N; int *p=malloc(8); p[0]=x; p[1]=2; p=realloc(p,16); K(p[0]==x&&p[1]==2); free(p);}"),
    ("realloc frees", M, "unsafe",
     "void *realloc(void*,size_t); int main(void){int x=N; int *p=malloc(8),*q=p; if(x) q=realloc(p,16); p[0]=1; free(q);}"),
    ("copy with a variable size", R, "safe",
     "int main(void){unsigned char a[4]={1,2,3,4},b[4]={0}; unsigned n=__VERIFIER_nondet_uint(); if(n>4) return 0; memcpy(b,a,n); K(n<2||b[1]==2); K(n>1||b[1]==0);}"),
    ("copy with a variable size, too much", M, "unsafe",
     "int main(void){unsigned char a[4]={1,2,3,4},b[3]={0}; unsigned n=__VERIFIER_nondet_uint(); if(n>4) return 0; memcpy(b,a,n);}"),
    ("copy of a part of a number", R, "unknown",
     "int main(void){int x=N,y=0; memcpy(&y,&x,2); K(y==(x&0xffff));}"),
    ("fill beyond the end", M, "unsafe",
     "void *memset(void*,int,size_t); int main(void){char a[4]; int x=N; memset(a,x,5);}"),
    ("atexit", R, "unsafe",
     "int atexit(void(*)(void)); int g; void f(void){K(g!=2);} int main(void){int x=N; atexit(f); g=1; if(x==7) g=2; return 0;}"),
    ("exit runs what atexit was given", C, "safe",
     "int atexit(void(*)(void)); void exit(int); int *p; void f(void){free(p);} int main(void){int x=N; atexit(f); p=malloc(4); if(x) exit(1); return 0;}"),
    ("other name of a function", R, "safe",
     "int real(int x){return x+1;} int other(int) __attribute__((alias(\"real\"))); int main(void){int x=N; int (*f)(int)=other; K(f(x)==x+1);}"),
    ("what printf returns", R, "unknown", "int printf(const char*,...); int main(void){int n=printf(\"ab\"); K(n==2);}"),
    ("what scanf reads", R, "unsafe", "int scanf(const char*,...); int main(void){int a; short b=0; scanf(\"%d %hd\",&a,&b); K(!(a==70000&&b==-3));}"),
    ("classes of characters", R, "safe",
     "int isdigit(int); int toupper(int); int main(void){int c=N; if(c<0||c>255) return 0; K(!isdigit(c)||(c>='0'&&c<='9')); K(toupper('b')=='B');}"),
    ("absolute value of the least number", O, "unsafe", "int abs(int); int main(void){return abs(N);}"),
    ("atomic operations without threads", R, "safe",
     "int g; int main(void){int x=N; if(x<0||x>100) return 0; g=x; int o=__sync_fetch_and_add(&g,2); K(o==x&&g==x+2);"
     " K(__sync_bool_compare_and_swap(&g,x+2,7)&&g==7); K(!__sync_bool_compare_and_swap(&g,1,9)&&g==7);"
     " K(__sync_val_compare_and_swap(&g,7,8)==7&&g==8); K(__atomic_exchange_n(&g,3,5)==8&&__atomic_load_n(&g,5)==3);"
     " __atomic_store_n(&g,4,5); K(__sync_nand_and_fetch(&g,6)==~4); __sync_synchronize();}"),
    ("memory of main's variables", M, "unknown", "int main(void){char *p=malloc(8); return 0;}"),
    ("program without inputs", R, "safe",
     "int main(void){unsigned a[50],s=0; for(int i=0;i<50;i++) a[i]=i*i; for(int i=0;i<50;i++) s+=a[i]; K(s==40425);}"),
    ("memory that nobody wrote is an input", R, "unsafe", "int main(void){int a[3]; a[0]=1; K(a[1]!=5);}"),
    ("bits of an address are arbitrary", R, "unsafe", "int main(void){int x; K(((unsigned long)&x&255)==0);}"),
    ("shift of a negative number", O, "unknown", "int main(void){int x=N; if(x<0&&x>-100) return x<<1;}"),
    ("shift that overflows", O, "unsafe", "int main(void){int x=N; if(x>=0) return x<<1;}"),
    ("nothing left", C, "safe", "int main(void){int *p=malloc(4); free(p);}"),
    ("something left", C, "unsafe", "int *g; int main(void){g=malloc(4);}"),
]

MESSAGES = [
    ("assembly", R, "not supported: inline assembly", 'int main(void){__asm__("nop"); reach_error();}'),
    ("syntax", R, ":1:16: error: ", "int main(void){"),
    ("no main", R, "found no function `main`", "int f(void){return 0;}"),
    ("unknown property", "nonsense", "expected `CHECK(", "int main(void){}"),
    ("termination", "CHECK( init(main()), LTL(F end) )", "not supported: the property", "int main(void){}"),
    ("endless include", R, "error: ", "#include __FILE__\nint main(void){}"),
    ("threads", R, "not supported: the function `pthread_create`",
     "int pthread_create(void*,void*,void*,void*); int main(void){pthread_create(0,0,0,0);}"),
]
