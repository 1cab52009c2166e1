package postmesh_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	postmesh "github.com/postmesh/postmesh/sdks/go"
)

func Example() {
	client, err := postmesh.New(postmesh.Options{})
	if err != nil {
		log.Fatal(err)
	}
	// this order's mail goes out once, even if the caller asks again
	result, err := client.Messages.Send(context.Background(), postmesh.MessagesSendBody{
		From:        postmesh.MessagesSendBodyFrom{Email: "news@shop.example.com", Name: "Shop"},
		Recipients:  []postmesh.MessagesSendBodyRecipientItem{{Email: "ann@example.net"}},
		Subject:     "Your order 17",
		TextContent: "It is on its way.",
		Tracking:    &postmesh.MessagesSendBodyTracking{Open: postmesh.Ptr(false)},
	}, postmesh.WithIdempotencyKey("order-17"))
	var failed *postmesh.APIError
	switch {
	case errors.As(err, &failed):
		log.Fatalf("%s (request %s)", failed.Message, failed.RequestID)
	case err != nil:
		log.Fatal(err)
	}
	fmt.Println(result.Data[0].ID, result.Data[0].Status)
}

func ExampleMessagesService_All() {
	client, err := postmesh.New(postmesh.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for message, err := range client.Messages.All(context.Background(), &postmesh.MessagesListParams{Tags: "order"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(message.Recipient, message.Status)
	}
}

func ExampleVerifyWebhook() {
	http.HandleFunc("POST /webhooks/postmesh", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, "too long", http.StatusRequestEntityTooLarge)
			return
		}
		event, err := postmesh.VerifyWebhook(os.Getenv("WEBHOOK_SECRET"), r.Header, body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if bounced, isIt := event.(*postmesh.MessageBouncedEvent); isIt {
			log.Println("bounced:", bounced.Data.Recipient)
		}
		w.WriteHeader(http.StatusNoContent)
	})
}
