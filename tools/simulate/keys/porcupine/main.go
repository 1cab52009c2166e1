// The states of an idempotency key as a model of Porcupine: reads histories as JSON, and prints whether each is possible.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/anishathalye/porcupine"
)

type Op struct {
	Request  string   `json:"request"`
	IsSecret bool     `json:"isSecret"`
	From     int64    `json:"from"`
	To       int64    `json:"to"`
	End      int64    `json:"end"`
	Value    string   `json:"value"`
	Ends     string   `json:"ends"`
	EffectAt int64    `json:"effectAt"`
	Answer   string   `json:"answer"`
	Got      string   `json:"got"`
	Points   []string `json:"points"`
	Last     int64    `json:"last"`
}
type in struct {
	point string
	op    int
}
type state struct {
	kind string
	by   int
	// one bit of each run: its claim comes before its end
	claimed uint64
}

func main() {
	var histories [][]Op
	if err := json.NewDecoder(os.Stdin).Decode(&histories); err != nil {
		panic(err)
	}
	for _, ops := range histories {
		after := func(s state, point string, nth int) []interface{} {
			op := ops[nth]
			switch point {
			case "claim":
				free := s.kind == "free" || s.kind == "open"
				if s.kind == "done" {
					free = op.Last >= ops[s.by].EffectAt+60000
				}
				if free {
					return []interface{}{state{"open", nth, s.claimed | 1<<nth}}
				}
			case "end":
				if s.kind == "open" && s.by == nth {
					return []interface{}{state{"done", nth, s.claimed}}
				}
				if op.Ends == "refused" && s.claimed&(1<<nth) != 0 {
					return []interface{}{s}
				}
			case "replayed":
				if s.kind == "done" && ops[s.by].Value == op.Got && ops[s.by].Request == op.Request {
					return []interface{}{s}
				}
			case "busy":
				if s.kind == "open" && ops[s.by].Request == op.Request {
					return []interface{}{s}
				}
			case "mismatch":
				if s.kind != "free" && ops[s.by].Request != op.Request {
					return []interface{}{s}
				}
			}
			return nil
		}
		model := porcupine.NondeterministicModel{
			Init: func() []interface{} { return []interface{}{state{"free", -1, 0}} },
			Step: func(s, i, o interface{}) []interface{} {
				point, optional := i.(in).point, false
				if point[len(point)-1] == '?' {
					point, optional = point[:len(point)-1], true
				}
				states := after(s.(state), point, i.(in).op)
				if optional {
					states = append(states, s)
				}
				return states
			},
			Equal: func(a, b interface{}) bool { return a == b },
		}
		var operations []porcupine.Operation
		for nth, op := range ops {
			for _, point := range op.Points {
				operations = append(operations, porcupine.Operation{ClientId: len(operations), Input: in{point, nth}, Call: op.From, Output: nil, Return: op.Last})
			}
		}
		fmt.Println(porcupine.CheckOperations(model.ToModel(), operations))
	}
}
