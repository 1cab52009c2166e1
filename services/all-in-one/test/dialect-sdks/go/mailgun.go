package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/mailgun/mailgun-go/v4"
)

var mailgunCalls = map[string]func(Mail) Outcome{
	"files":    mailgunFiles,
	"again":    mailgunAgain,
	"batch":    mailgunBatch,
	"template": mailgunTemplate,
	"schedule": mailgunSchedule,
	"errors":   mailgunErrors,
}

func mailgunClient(mail Mail, key string) *mailgun.MailgunImpl {
	client := mailgun.NewMailgun(mail.Domain, key)
	client.SetAPIBase(mail.URL + "/v3")
	return client
}

func mailgunMessage(mail Mail, to ...string) *mailgun.Message {
	return mailgun.NewMessage(mail.From, mail.Subject, "Hi", to...)
}

func mailgunSend(client *mailgun.MailgunImpl, message *mailgun.Message) Outcome {
	_, id, err := client.Send(context.Background(), message)
	if err == nil {
		return Outcome{IDs: []string{id}}
	}
	var response *mailgun.UnexpectedResponseError
	if !errors.As(err, &response) {
		check(err)
	}
	failure := Failure{Status: response.Actual, Message: string(response.Data)}
	var body struct{ Message string }
	if json.Unmarshal(response.Data, &body) == nil {
		failure.Message = body.Message
	}
	return Outcome{Errors: []Failure{failure}}
}

func mailgunFiles(mail Mail) Outcome {
	message := mailgunMessage(mail, mail.To)
	message.SetHTML(fmt.Sprintf(html, "logo.png"))
	message.AddCC(mail.Cc)
	message.AddBCC(mail.Bcc)
	message.SetReplyTo(replies)
	message.AddHeader(orderKey, "17")
	check(message.AddTag("kind:receipt"))
	message.AddReaderInline("logo.png", io.NopCloser(bytes.NewReader(mail.picture())))
	message.AddBufferAttachment("invoice.pdf", mail.invoice())
	return mailgunSend(mailgunClient(mail, mail.Secret), message)
}

func mailgunAgain(mail Mail) Outcome {
	client := mailgunClient(mail, mail.Secret)
	client.AddOverrideHeader("Idempotency-Key", mail.Key)
	first := mailgunSend(client, mailgunMessage(mail, mail.To))
	second := mailgunSend(client, mailgunMessage(mail, mail.To))
	other := mailgunSend(client, mailgun.NewMessage(mail.From, "Other", "Hi", mail.To))
	return Outcome{IDs: append(first.IDs, second.IDs...), Errors: other.Errors}
}

func mailgunBatch(mail Mail) Outcome {
	message := mailgunMessage(mail)
	for at, to := range mail.Several {
		check(message.AddRecipientAndVariables(to, map[string]any{"code": at}))
	}
	return mailgunSend(mailgunClient(mail, mail.Secret), message)
}

func mailgunTemplate(mail Mail) Outcome {
	message := mailgun.NewMessage(mail.From, mail.Subject, "", mail.To)
	message.SetTemplate(mail.Template)
	check(message.AddTemplateVariable("code", "991"))
	return mailgunSend(mailgunClient(mail, mail.Secret), message)
}

func mailgunSchedule(mail Mail) Outcome {
	message := mailgunMessage(mail, mail.To)
	message.SetDeliveryTime(must(time.Parse(time.RFC3339, mail.At)))
	return mailgunSend(mailgunClient(mail, mail.Secret), message)
}

func mailgunErrors(mail Mail) Outcome {
	stranger := mailgunSend(mailgunClient(mail, unknown), mailgunMessage(mail, mail.To))
	message := mailgunMessage(mail, mail.To)
	message.SetRequireTLS(true)
	secured := mailgunSend(mailgunClient(mail, mail.Secret), message)
	return Outcome{Errors: append(stranger.Errors, secured.Errors...)}
}
