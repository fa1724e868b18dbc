package main
import ("fmt";"os";"strconv";"github.com/sansmcp/mcp/conformance/many")
func main(){
 seed,_:=strconv.ParseUint(os.Args[2],10,64)
 rs,_:=strconv.Atoi(os.Args[4])
 o:=many.Options{Seed:seed,Exact:true,Trace:true}
 a,_:=many.Run(os.Args[1],o)
 o.Restore=rs; o.Extra=os.Args[5]
 b,err:=many.Run(os.Args[1],o)
 fmt.Println(err)
 x,y:=a.Trace[os.Args[3]],b.Trace[os.Args[3]]
 for i:=range x { if i>=len(y)||x[i]!=y[i] { for j:=max(0,i-60);j<min(len(x),i+8);j++{fmt.Println("A",x[j])}; for j:=max(0,i-2);j<min(len(y),i+8);j++{fmt.Println("B",y[j])}; return } }
}
