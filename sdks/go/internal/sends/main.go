// Sends messages by the SDK as services/all-in-one/test/sdks.spec.ts asks: sends <count> <workers> <tag>
// Prints what the API answered: {"ids": ["<…>"], "seconds": 1.5}.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	postmesh "github.com/postmesh/postmesh/sdks/go"
)

func main() {
	count, _ := strconv.Atoi(os.Args[1])
	workers, _ := strconv.Atoi(os.Args[2])
	tag := os.Args[3]
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = workers
	client, err := postmesh.New(postmesh.Options{
		Retries:    postmesh.Retries{MaxTries: 15, MaxTime: 4 * time.Minute},
		HTTPClient: &http.Client{Transport: transport},
	})
	if err != nil {
		log.Fatal(err)
	}
	later := time.Now().Add(5 * 24 * time.Hour)
	ids := make([]string, count)
	numbers := make(chan int)
	began := time.Now()
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for number := range numbers {
				result, err := client.Messages.Send(context.Background(), postmesh.MessagesSendBody{
					From:        postmesh.MessagesSendBodyFrom{Email: "news@shop.example.com"},
					Recipients:  []postmesh.MessagesSendBodyRecipientItem{{Email: fmt.Sprintf("reader-%d@example.net", number)}},
					Subject:     fmt.Sprintf("%s %d", tag, number),
					TextContent: "Hello.",
					Tags:        []string{tag},
					Schedule:    &postmesh.MessagesSendBodySchedule{FirstAttempt: &later},
				})
				if err != nil {
					log.Fatal(err)
				}
				ids[number] = result.Data[0].ID
			}
		})
	}
	for number := range count {
		numbers <- number
	}
	close(numbers)
	group.Wait()
	json.NewEncoder(os.Stdout).Encode(map[string]any{"ids": ids, "seconds": time.Since(began).Seconds()})
}
