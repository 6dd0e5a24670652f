package jsonl
import ("testing";"os";"bufio";"encoding/json")
func TestZZDates(t *testing.T){
 f,_:=os.Open("/tmp/w/jt/dates.jsonl"); sc:=bufio.NewScanner(f); bad:=0; n:=0
 for sc.Scan(){ var x struct{S string; T *float64}; json.Unmarshal(sc.Bytes(),&x)
  ms,ok:=ParseTime(x.S); n++
  if ok!=(x.T!=nil) || ok && float64(ms)!=*x.T { bad++; w:=any("NaN"); if x.T!=nil {w=int64(*x.T)}; g:=any("NaN"); if ok {g=ms}; t.Logf("%-45q got %v want %v",x.S,g,w)} }
 t.Logf("%d of %d differ",bad,n)
}
