#!/usr/bin/env python3
"""Small programs of the kind that regression suites of verifiers have, places where C is easily misread: those below, and those of
strangers.txt (`### NAME PROPERTY EXPECTED [MODEL]`, then the source; ILP32 and LP64 in turn where no model is named).

    strangers.py REGATTA [READER [EVERY [FILE]]]    (TAP; with FILE those of that file alone)

No verdict may be wrong; what is unknown is counted. Without the reader (a build without LLVM) the test is skipped.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import tap_lines  # noqa: E402
from tap_lines import say  # noqa: E402

R, O, M, L, T = "unreach-call", "no-overflow", "valid-memsafety", "valid-memcleanup", "termination"
HEAD = """extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern long __VERIFIER_nondet_long(void);
extern long long __VERIFIER_nondet_longlong(void);
extern char __VERIFIER_nondet_char(void);
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);
extern void abort(void);
#define N __VERIFIER_nondet_int()
#define U __VERIFIER_nondet_uint()
#define K(c) do { if (!(c)) reach_error(); } while (0)
typedef __SIZE_TYPE__ size_t;
extern void *malloc(size_t), *calloc(size_t,size_t), *realloc(void*,size_t), *memcpy(void*,const void*,size_t), *memmove(void*,const void*,size_t), *memset(void*,int,size_t);
extern void free(void*);
extern size_t strlen(const char*); extern int strcmp(const char*,const char*); extern long strtol(const char*,char**,int); extern char *strchr(const char*,int), *strcpy(char*,const char*);
extern void qsort(void*,size_t,size_t,int(*)(const void*,const void*)); extern int memcmp(const void*,const void*,size_t);
"""

# Name, property, what is true of it, source. `N` and `U` are inputs, `K(c)` an assertion.
PROGRAMS = [
    ("union1", R, "safe",
     "union u{int i;short s[2];unsigned char c[4];}; int main(void){union u u;u.i=N;unsigned x=u.i;u.c[2]^=0x80;"
     "K((unsigned)u.i==(x^0x800000u));u.s[0]=-1;K((u.i&0xffff)==0xffff);return 0;}"),
    ("union2", R, "unsafe",
     "union u{float f;unsigned b;}; int main(void){union u u;u.b=U;if(u.f==1.5f)K(u.b!=0x3fc00000u);return 0;}"),
    ("bits1", R, "safe",
     "struct b{unsigned a:3;int b:4;unsigned c:9;int :0;unsigned d:1;}; int main(void){struct b s;unsigned x=U;"
     "s.a=x;s.b=x;s.c=x;s.d=x;K(s.a==(x&7));K(s.b>=-8&&s.b<=7);K(s.c==(x&511));K(s.d==(x&1));s.b=7;s.b++;K(s.b==-8);"
     "K(s.a==(x&7)&&s.c==(x&511));return 0;}"),
    ("bits2", R, "unsafe",
     "struct b{int f:1;}; int main(void){struct b s;s.f=1;K(s.f==1);return 0;}"),
    ("flex1", M, "safe",
     "struct v{int n;int d[];}; int main(void){int n=N;if(n<1||n>3)return 0;"
     "struct v*p=malloc(sizeof*p+n*sizeof(int));p->n=n;for(int i=0;i<p->n;i++)p->d[i]=i;free(p);return 0;}"),
    ("flex2", M, "unsafe",
     "struct v{int n;int d[];}; int main(void){int n=N;if(n<1||n>3)return 0;"
     "struct v*p=malloc(sizeof*p+n*sizeof(int));p->n=n;for(int i=0;i<=p->n;i++)p->d[i]=i;free(p);return 0;}"),
    ("ftab1", R, "safe",
     "static int a(int x){return x+1u;}static int b(int x){return x^1;}static int c(int x){return ~x;}"
     " static int(*const t[3])(int)={a,b,c}; int main(void){unsigned i=U;int x=N;if(i<3){int r=t[i](x);K(r!=x);}"
     "return 0;}"),
    ("ftab2", R, "unsafe",
     "static int a(int x){return x+1u;}static int b(int x){return x|1;} static int(*t[2])(int)={a,b};"
     " int main(void){unsigned i=U&1;int x=N;int r=t[i](x);K(r!=x);return 0;}"),
    ("va1", R, "safe",
     "#include <stdarg.h>\nstatic int sum(int n,...){va_list l;va_start(l,n);int s=0;while(n-->0)s+=va_arg(l,int);"
     "va_end(l);return s;} int main(void){int x=N&0xff;K(sum(3,x,2,-x)==2);K(sum(0)==0);return 0;}"),
    ("va2", R, "unsafe",
     "#include <stdarg.h>\nstatic long long f(int n,...){va_list l;va_start(l,n);long long s=va_arg(l,long long);"
     "int t=va_arg(l,int);va_end(l);return s+t;} int main(void){int x=N;if(x>100||x< -100)return 0;"
     "K(f(2,10LL,x)!=57);return 0;}"),
    ("goto1", R, "safe",
     "int main(void){int i=N,k=0;if(i<0||i>9)return 0;if(i&1)goto in;for(i=0;i<10;i++){k++;in:k++;if(k>100)break;}"
     "K(i==10);K(k<=20);return 0;}"),
    ("switch1", R, "safe",
     "int main(void){int x=N,r=0;switch(x){case -5 ... -1:r=1;break;case 0:r=2;case 1 ... 9:r+=3;break;default:r=7;}"
     "if(x<-5||x>9)K(r==7);else if(x<0)K(r==1);else K(r==(x?3:5));return 0;}"),
    ("switch2", R, "safe",
     "int main(void){unsigned char x=__VERIFIER_nondet_uchar();int r=0;switch(x){case 250 ... 255:r++;case 3:r++;"
     "do{case 7:r++;}while(r<3);}K(r!=1);return 0;}"),
    ("complit1", R, "safe",
     "struct p{int x,y;};static int f(struct p*p){return p->x-p->y;}int main(void){int a=N;"
     "if(a<-1000||a>1000)return 0;K(f(&(struct p){a,1})==a-1);int*q=(int[]){1,a,3};q[1]++;K(q[1]==a+1);"
     "K(f(&(struct p){.y=a})==-a);return 0;}"),
    ("vla1", M, "unsafe",
     "int main(void){int n=N;if(n<1||n>5)return 0;int a[n];for(int i=0;i<n;i++)a[i]=i;return a[n-1+(n==3)];}"),
    ("vla2", R, "safe",
     "int main(void){int n=N;if(n<1||n>4)return 0;short a[n][2];K(sizeof a==n*4u);for(int i=0;i<n;i++){a[i][0]=i;"
     "a[i][1]=-i;}K(a[n-1][0]+a[n-1][1]==0);return 0;}"),
    ("atom1", R, "safe",
     "#include <stdatomic.h>\nint main(void){atomic_int a;atomic_init(&a,0);int x=N&15;int o=atomic_fetch_add(&a,x);"
     "K(o==0);int e=x;K(atomic_compare_exchange_strong(&a,&e,5));K(atomic_load(&a)==5);e=9;"
     "K(!atomic_compare_exchange_strong(&a,&e,6));K(e==5);return 0;}"),
    ("bool1", R, "safe",
     "int main(void){_Bool b=N;K(b==0||b==1);b=0.5;K(b==1);int*p=&(int){0};b=p;K(b);b--;K(!b);b--;K(b);b+=5;K(b==1);"
     "unsigned char c=256+2;_Bool d=(c&4);K(!d);return 0;}"),
    ("bool2", R, "unsafe",
     "int main(void){int x=N;unsigned char c=x;_Bool b=x;K((_Bool)c==b);return 0;}"),
    ("enum1", R, "safe",
     "enum e{A,B=5,D,E=-2,F};int main(void){K(A==0&&D==6&&F==-1);enum e x=(enum e)(N&7);K((int)x>=0&&(int)x<8);"
     "K(sizeof(enum e)==4);return 0;}"),
    ("enum2", R, "unsafe",
     "enum e{A,B,D};int main(void){enum e x=B;x-=2;K(x<D);return 0;}"),
    ("pdiff1", R, "safe",
     "struct s{int a;char c[6];};int main(void){struct s a[5];unsigned i=U%5,j=U%5;struct s*p=&a[i],*q=&a[j];"
     "long d=p-q;K(d==(long)i-(long)j);K((char*)p-(char*)q==12*d);K((p<q)==(i<j));return 0;}"),
    ("move1", R, "safe",
     "int main(void){char b[6]={1,2,3,4,5,6};memmove(b+1,b,4);K(b[0]==1&&b[1]==1&&b[2]==2&&b[4]==4&&b[5]==6);"
     "memmove(b,b+2,3);K(b[0]==2&&b[1]==3&&b[2]==4);return 0;}"),
    ("strtol1", R, "safe",
     "int main(void){char*e;K(strtol(\"  -12x\",&e,10)==-12);K(*e=='x');K(strtol(\"0x1f\",0,0)==31);"
     'K(strtol("z",&e,36)==35);return 0;}'),
    ("qsort1", R, "safe",
     "static int c(const void*a,const void*b){int x=*(const int*)a,y=*(const int*)b;return (x>y)-(x<y);}"
     "int main(void){int a[3];for(int i=0;i<3;i++)a[i]=N;int b[3]={a[0],a[1],a[2]};qsort(a,3,sizeof*a,c);"
     "K(a[0]<=a[1]&&a[1]<=a[2]);K((unsigned)a[0]+a[1]+a[2]==(unsigned)b[0]+b[1]+b[2]);return 0;}"),
    ("qsort2", R, "unsafe",
     "static int c(const void*a,const void*b){return *(const signed char*)b-*(const signed char*)a;}"
     "int main(void){signed char a[3]={N,N,N};qsort(a,3,1,c);K(!(a[0]==3&&a[2]==-4));return 0;}"),
    ("static1", R, "safe",
     "static int f(void){static int n=3;static int*p=&n;return (*p)++;}int main(void){int a=f();int b=f();"
     "K(a==3&&b==4);K(f()==5);return 0;}"),
    ("static2", R, "unsafe",
     "static int f(int x){static int n;if(x)n=0;return n++;}int main(void){for(int i=0;i<4;i++)K(f(N)<3);return 0;}"),
    ("const1", R, "safe",
     'static const int t[4]={1,2,4,8};const char*const n[]={"ab","c"};int main(void){unsigned i=U;'
     "if(i<4)K(t[i]==1<<i);K(strlen(n[i&1])==2-(i&1));return 0;}"),
    ("prom1", R, "safe",
     "int main(void){unsigned char a=U,b=U;K(a+b>=0&&a-b>=-255);unsigned short s=65535;K((s<<1)>0);signed char c=N;"
     "K((unsigned char)c>>1<=127);K((c>>7)==(c<0?-1:0));unsigned u=1;K((int)(-1<u)==0);K(-1L<(long)u);return 0;}"),
    ("prom2", R, "unsafe",
     "int main(void){unsigned char a=U;K((~a)!=~(unsigned)a||(unsigned char)~a==~a);return 0;}"),
    ("ov_add", O, "unsafe",
     "int main(void){volatile int r=N+1;return 0;}"),
    ("ov_sub", O, "unsafe",
     "int main(void){volatile int r=-2-N;return 0;}"),
    ("ov_mul", O, "unsafe",
     "int main(void){volatile int r=N*2;return 0;}"),
    ("ov_neg", O, "unsafe",
     "int main(void){volatile int r=-N;return 0;}"),
    ("ov_div", O, "unsafe",
     "int main(void){volatile int r=N/-1;return 0;}"),
    ("ov_rem", O, "unsafe",
     "int main(void){volatile int r=N%-1;return 0;}"),
    ("ov_inc", O, "unsafe",
     "int main(void){volatile int r=({int x=N;x++;});return 0;}"),
    ("ov_dec", O, "unsafe",
     "int main(void){volatile int r=({int x=N;--x;});return 0;}"),
    ("ov_shl", O, "unsafe",
     "int main(void){volatile int r=({int x=N;x>0?x<<3:0;});return 0;}"),
    ("ov_cadd", O, "unsafe",
     "int main(void){volatile int r=({int x=N;x+=3;});return 0;}"),
    ("ov_uadd", O, "safe",
     "int main(void){volatile int r=U+1;return 0;}"),
    ("ov_uneg", O, "safe",
     "int main(void){volatile int r=-U;return 0;}"),
    ("ov_charadd", O, "safe",
     "int main(void){volatile int r=({signed char c=N;c+=100;c;});return 0;}"),
    ("ov_shortmul", O, "unsafe",
     "int main(void){volatile int r=({unsigned short a=U,b=U;a*b;});return 0;}"),
    ("ov_shortok", O, "safe",
     "int main(void){volatile int r=({short a=N,b=N;(long)a*b+0*a;});return 0;}"),
    ("ov_conv", O, "safe",
     "int main(void){volatile int r=({int x=U;x;});return 0;}"),
    ("ov_cond", O, "safe",
     "int main(void){volatile int r=({int x=N;x>0?x-1:x+1;});return 0;}"),
    ("ov_llmul", O, "safe",
     "int main(void){volatile int r=(int)(1LL*N*N);return 0;}"),
    ("ov_idx", O, "safe",
     "int main(void){volatile int r=({static int a[3];int i=N&1;a[i+1]+1;});return 0;}"),
    ("ov_longadd", O, "unsafe",
     "int main(void){volatile int r=(int)(__VERIFIER_nondet_long()+1);return 0;}"),
    ("ov_ptr", O, "unsafe",
     "int main(void){volatile int r=({int x=N;int*p=&x;*p=*p-1;*p;});return 0;}"),
    ("ov_field", O, "safe",
     "int main(void){volatile int r=({struct{int a:5;}s;s.a=15;s.a++;s.a;});return 0;}"),
    ("ov_abs", O, "unsafe",
     "int main(void){volatile int r=({int x=N;x<0?-x:x;});return 0;}"),
    ("ov_mid", O, "safe",
     "int main(void){volatile int r=({int a=N,b=N;a>=0&&b>=0&&a<=b?a+(b-a)/2:0;});return 0;}"),
    ("ov_mid2", O, "unsafe",
     "int main(void){volatile int r=({int a=N,b=N;a>=0&&b>=0&&a<=b?(a+b)/2:0;});return 0;}"),
    ("ov_sizeof", O, "safe",
     "int main(void){volatile int r=({int x=N;(int)sizeof(x+1);});return 0;}"),
    ("ov_uninit", O, "safe",
     "int main(void){volatile int r=({int x;x==x;});return 0;}"),
    ("divmin", R, "safe",
     "int main(void){int a=N,b=N;if(b==0||(b==-1&&a==(-2147483647-1)))return 0;int q=a/b,r=a%b;"
     "K((unsigned)q*(unsigned)b+(unsigned)r==(unsigned)a||1);K(r==0||(r<0)==(a<0));return 0;}"),
    ("uninit1", R, "unsafe",
     "int main(void){int x;int a[3];K(a[1]!=42||x!=7);return 0;}"),
    ("uninit2", R, "safe",
     "int main(void){int x;int y=x;K(x==y);int*p=malloc(4);int z=*p;K(*p==z);free(p);return 0;}"),
    ("uninit3", R, "unsafe",
     "static int f(int k){int x;if(k)x=1;return x;}int main(void){f(1);K(f(0)==1);return 0;}"),
    ("dfree", M, "unsafe",
     "int main(void){int*p=malloc(4),*q=p;if(N)free(q);free(p);return 0;}"),
    ("dfreeok", M, "safe",
     "int main(void){int*p=malloc(4);int f=0;if(N){free(p);f=1;}if(!f)free(p);free(0);return 0;}"),
    ("uar", M, "unsafe",
     "static int*f(int x){int y=x;int*p=&y;return p;}int main(void){int*p=f(3);return *p;}"),
    ("uafr", M, "unsafe",
     "int main(void){int*p=malloc(8);int*q=realloc(p,16);p[0]=1;free(q);return 0;}"),
    ("realok", M, "safe",
     "int main(void){int*p=malloc(8);p[1]=5;p=realloc(p,16);p[3]=p[1];free(p);return 0;}"),
    ("obo1", M, "unsafe",
     'int main(void){char s[4];strcpy(s,"abcd");return s[0];}'),
    ("obo2", M, "unsafe",
     "int main(void){int a[3];int*p=a;for(int i=0;i<3;i++)*p++=i;return *p;}"),
    ("obo3", M, "safe",
     "int main(void){int a[3];int*p=a+3;int s=0;for(int i=0;i<3;i++)*--p=i;return *p;}"),
    ("under", M, "unsafe",
     "int main(void){int a[3]={0};int i=2;while(a[i]==0)i--;return i;}"),
    ("leak1", M, "unsafe",
     "int main(void){for(int i=0;i<3;i++){char*p=malloc(3);if(i!=1)free(p);}return 0;}"),
    ("leak2", L, "unsafe",
     "static int*g;int main(void){g=malloc(4);if(N)free(g);return 0;}"),
    ("leak3", L, "safe",
     "static int*g;int main(void){int n=N;g=malloc(4);if(n)free(g);if(!n){free(g);}return 0;}"),
    ("leak4", M, "unsafe",
     "struct n{struct n*x;};int main(void){struct n*a=malloc(sizeof*a);a->x=malloc(sizeof*a);a->x->x=0;free(a);"
     "return 0;}"),
    ("list", M, "safe",
     "struct n{struct n*x;int v;};int main(void){struct n*h=0;for(int i=0;i<3;i++){struct n*t=malloc(sizeof*t);"
     "t->x=h;t->v=i;h=t;}while(h){struct n*t=h->x;free(h);h=t;}return 0;}"),
    ("freest", M, "unsafe",
     "int main(void){int x;int*p=N?&x:malloc(4);free(p);return 0;}"),
    ("freeoff", M, "unsafe",
     "int main(void){char*p=malloc(4);p++;free(p);return 0;}"),
    ("null", M, "unsafe",
     "int main(void){int*p=N==17?0:&(int){1};return *p;}"),
    ("arr2", M, "unsafe",
     "int main(void){int a[2][3]={0};unsigned i=U%3,j=U%3;return a[i][j];}"),
    ("memset1", M, "unsafe",
     "int main(void){int a[4];memset(a,0,sizeof a+1);return a[0];}"),
    ("memcmp1", R, "safe",
     "int main(void){char a[3]=\"ab\",b[3]=\"ac\";K(memcmp(a,b,3)<0);K(memcmp(a,b,1)==0);b[1]='b';K(!memcmp(a,b,3));"
     "return 0;}"),
    ("endless1", T, "unsafe",
     "int main(void){unsigned char c=__VERIFIER_nondet_uchar();while(c!=7)c+=2;return 0;}"),
    ("endless2", T, "safe",
     "int main(void){unsigned char c=__VERIFIER_nondet_uchar();while(c!=7)c+=3;return 0;}"),
    ("wide", R, "safe",
     "int main(void){unsigned long long x=U;x=x<<32|U;unsigned hi=x>>32,lo=x;K(((unsigned long long)hi<<32|lo)==x);"
     "unsigned __int128 y=x;y*=y;K((unsigned long long)y==x*x);return 0;}"),
    ("shift", R, "unsafe",
     "int main(void){unsigned x=U;int s=N&31;K((x<<s)>>s==x);return 0;}"),
    ("rot", R, "safe",
     "int main(void){unsigned x=U,s=U&31;unsigned r=x<<s|x>>(-s&31);K((r>>s|r<<(-s&31))==x);return 0;}"),
    ("ternlv", R, "safe",
     "int main(void){int a=1,b=2,c=N;*(c?&a:&b)=9;K(c?a==9&&b==2:a==1&&b==9);int d=(a=3,b=4,a+b);K(d==7);int i=0;"
     "int v[3]={0};v[i++]=i;K(v[0]==0||v[0]==1);return 0;}"),
    ("structret", R, "safe",
     "struct s{char c;long long l;short h[3];};static struct s mk(int x){struct s s={x,x,{x,1,2}};return s;}"
     "int main(void){int x=N;struct s a=mk(x),b;b=a;b.h[0]++;K(a.h[0]==(short)x&&b.l==x&&b.c==(char)x);"
     "K(mk(3).h[0]==3);return 0;}"),
    ("double1", R, "unsafe",
     "extern double __VERIFIER_nondet_double(void);int main(void){double d=__VERIFIER_nondet_double();"
     "if(d>0&&d<10)K(d*0.1!=0.5);return 0;}"),
    ("float1", R, "safe",
     "extern float __VERIFIER_nondet_float(void);int main(void){float f=__VERIFIER_nondet_float();"
     "if(f>=-100&&f<=100){int i=f;K(i>=-100&&i<=100);K((float)i==(float)(int)(float)i);}return 0;}"),
    ("nan1", R, "safe",
     "extern float __VERIFIER_nondet_float(void);int main(void){float f=__VERIFIER_nondet_float();K(f==f||f!=f);"
     "K(!(f<f));if(f!=f)K(!(f>1)&&!(f<=1));return 0;}"),
    ("cleanup", R, "unsafe",
     "static int g;static void f(int*p){g=*p;}int main(void){{int x __attribute__((cleanup(f)))=N;}K(g!=9);return 0;"
     "}"),
    ("setj", R, "unsafe",
     "#include <setjmp.h>\nint main(void){jmp_buf b;if(setjmp(b))reach_error();else longjmp(b,1);return 0;}"),
    ("recur", R, "safe",
     "static unsigned f(unsigned n){return n?n+f(n-1):0;}int main(void){unsigned n=U&7;K(f(n)==n*(n+1)/2);return 0;}"),
    ("mutual", R, "unsafe",
     "static int od(int);static int ev(int n){return n==0?1:od(n-1);}static int od(int n){return n==0?0:ev(n-1);}"
     "int main(void){int n=N;if(n>=0&&n<=6)K(!ev(n)||n!=4);return 0;}"),
    ("cont", R, "safe",
     "int main(void){int s=0;for(int i=0;i<10;i++){if(i&1)continue;if(i==8)break;s+=i;}K(s==12);int i=5;"
     "do{if(i==3)continue;}while(--i);K(i==0);return 0;}"),
    ("sizet", R, "unsafe",
     "int main(void){int n=N;if(n<5){char a[5]={0};K((size_t)n<5);}return 0;}"),
    ("strn", R, "safe",
     "int main(void){char s[5];for(int i=0;i<4;i++)s[i]=N;s[4]=0;K(strlen(s)<=4);char*c=strchr(s,0);"
     "K(c==s+strlen(s));return 0;}"),
    ("shadow", R, "safe",
     "int x=1;int main(void){int y=x;{int x=2;y+=x;{extern int x;y+=x;}}K(y==4);for(int y=0;y<1;y++){int y=7;"
     "(void)y;}K(y==4);return 0;}"),
    ("loopvar", R, "unsafe",
     "int main(void){int*p=0;for(int i=0;i<2;i++){int z;if(p==0){z=5;p=&z;}else K(z==5);}return 0;}"),
    ("cmpptr", R, "safe",
     "int main(void){int a,b;int*p=&a,*q=&b;K(p!=q);K(p!=0);void*v=p;K(*(int**)&v==p);char*c=(char*)p;"
     "K((int*)(c+4)-p==1);return 0;}"),
    ("inttoptr", R, "safe",
     "typedef __UINTPTR_TYPE__ up;int main(void){int a[4];int*p=a+(U&3);up u=(up)p;K((int*)u==p);K((u&3)==0);"
     "*(int*)(u)=5;K(*p==5);return 0;}"),
    ("lnot", R, "safe",
     "int main(void){int x=N;K(!!x==(x!=0));K(!x+!!x==1);int y=x&&(x=0);K(y==0);K(x==0);return 0;}"),
    ("comma", R, "unsafe",
     "int main(void){int i=N,j;for(i&=7,j=7;i<j;i++,j--);K(i!=j);return 0;}"),
    ("exit1", R, "safe",
     "extern void exit(int);extern int atexit(void(*)(void));static int d;static void f(void){K(d==1);}"
     "int main(void){atexit(f);d=1;if(N)exit(3);return 0;}"),
    ("fesc", M, "unsafe",
     "struct h{int*p;};static void set(struct h*h){int l=3;h->p=&l;}int main(void){struct h h;set(&h);return *h.p;}"),
    ("memcpyov", M, "unsafe",
     "int main(void){char a[8]={0};memcpy(a+4,a,5);return 0;}"),
    ("negidx", M, "safe",
     "int main(void){int a[5]={0};int*p=a+2;int i=N;if(i>=-2&&i<=2)p[i]=1;return 0;}"),
    ("ptrarr", R, "safe",
     "int main(void){int a=1,b=2,c=3;int*t[3]={&a,&b,&c};unsigned i=U%3;*t[i]+=10;K(a+b+c==16);K(*t[i]>10);return 0;"
     "}"),
    ("fnptrstruct", R, "unsafe",
     "struct o{int v;int(*get)(struct o*);};static int g1(struct o*o){return o->v;}"
     "static int g2(struct o*o){return -o->v;}int main(void){struct o o={N,g1};if(N)o.get=g2;"
     "if(o.v==5)K(o.get(&o)==5);return 0;}"),
    ("voidarith", R, "safe",
     "int main(void){int a[2]={1,2};void*p=a;p+=4;K(*(int*)p==2);return 0;}"),
    ("stmtx", R, "safe",
     "#define MAX(a,b) ({__typeof__(a)_a=(a);__typeof__(b)_b=(b);_a>_b?_a:_b;})\nint main(void){int x=N,y=N;"
     "int m=MAX(x,y);K(m>=x&&m>=y&&(m==x||m==y));return 0;}"),
]


PROPERTIES = {"R": R, "O": O, "M": M, "L": L, "T": T, "A": "no-assertion-violation", "E": "unreach-label", "D": "valid-deref",
              "F": "valid-free"}


def more_programs(path):
    text = pathlib.Path(path).read_text()
    for part in text.split("### ")[1:]:
        head, source = part.split("\n", 1)
        name, prop, expected, *model = head.split()
        yield name, PROPERTIES[prop], expected, source, model[0] if model else None


def main():
    regatta = sys.argv[1]
    if len(sys.argv) < 3 or not os.path.exists(sys.argv[2]):
        print("1..0 # SKIP no reader of C programs in this build")
        return 0
    decided = 0
    if len(sys.argv) > 4:
        programs = list(more_programs(sys.argv[4]))
    else:
        programs = [(*p, None) for p in PROGRAMS] + list(more_programs(pathlib.Path(__file__).with_suffix(".txt")))
    programs = programs[::int(sys.argv[3]) if len(sys.argv) > 3 else 1]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "p.c")
        for number, (name, prop, expected, source, model) in enumerate(programs):
            if model is None:
                model = "lp64" if number % 2 == 0 or "__int128" in source else "ilp32"
            pathlib.Path(path).write_text(HEAD + source + "\n")
            done = subprocess.run([regatta, "verify", "-q", "--time", "10s", "--cores", "1", "--property", prop + "#" + model, path],
                                  capture_output=True, text=True, errors="replace")
            answer = {0: "safe", 10: "unsafe", 20: "unknown"}.get(done.returncode, "no answer")
            decided += answer == expected
            if answer == "unknown":
                print(f"# unknown: {name}")
            say(answer in (expected, "unknown"), f"{name} ({prop}, {model}) is {expected}", done.stdout + done.stderr)
    print(f"# {decided} of {len(programs)} decided")
    return tap_lines.end()


if __name__ == "__main__":
    sys.exit(main())
