package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

var sesCalls = map[string]func(Mail) Outcome{
	"files":    sesFiles,
	"again":    sesAgain,
	"raw":      sesRaw,
	"template": sesTemplate,
	"batch":    sesBatch,
	"errors":   sesErrors,
}

const sesRawMessage = `From: %s
To: %s
Subject: Raw
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=part

--part
Content-Type: text/plain

Hi
--part
Content-Type: application/pdf
Content-Disposition: attachment; filename=invoice.pdf
Content-Transfer-Encoding: base64

%s
--part--
`

func sesClient(mail Mail, secret string) *sesv2.Client {
	return sesv2.New(sesv2.Options{
		BaseEndpoint:     aws.String(mail.URL),
		Region:           "eu-west-1",
		Credentials:      credentials.NewStaticCredentialsProvider(mail.Access.ID, secret, ""),
		RetryMaxAttempts: 1,
	})
}

func sesText(text string) *types.Content { return &types.Content{Data: aws.String(text)} }

func sesEmail(mail Mail, subject string) *sesv2.SendEmailInput {
	return &sesv2.SendEmailInput{
		FromEmailAddress: aws.String(mail.From),
		Destination:      &types.Destination{ToAddresses: []string{mail.To}},
		Content: &types.EmailContent{Simple: &types.Message{
			Subject: sesText(subject),
			Body:    &types.Body{Text: sesText("Hi")},
		}},
	}
}

func sesSend(mail Mail, email *sesv2.SendEmailInput, options ...func(*sesv2.Options)) Outcome {
	sent := must(sesClient(mail, mail.Access.Secret).SendEmail(context.Background(), email, options...))
	return Outcome{IDs: []string{aws.ToString(sent.MessageId)}}
}

func sesFailure(err error) Failure {
	var api smithy.APIError
	var response *smithyhttp.ResponseError
	if !errors.As(err, &api) || !errors.As(err, &response) {
		check(fmt.Errorf("not an error of the API: %w", err))
	}
	return Failure{Status: response.HTTPStatusCode(), Message: api.ErrorMessage()}
}

func sesFiles(mail Mail) Outcome {
	email := sesEmail(mail, mail.Subject)
	email.Destination.CcAddresses, email.Destination.BccAddresses = []string{mail.Cc}, []string{mail.Bcc}
	email.ReplyToAddresses = []string{replies}
	email.EmailTags = []types.MessageTag{{Name: aws.String("kind"), Value: aws.String("receipt")}}
	email.Content.Simple.Body.Html = sesText(fmt.Sprintf(html, "logo"))
	email.Content.Simple.Headers = []types.MessageHeader{{Name: aws.String(orderKey), Value: aws.String("17")}}
	email.Content.Simple.Attachments = []types.Attachment{
		{
			FileName: aws.String("logo.png"), RawContent: mail.picture(), ContentId: aws.String("logo"),
			ContentDisposition: types.AttachmentContentDispositionInline,
		},
		{FileName: aws.String("invoice.pdf"), RawContent: mail.invoice()},
	}
	return sesSend(mail, email)
}

func sesAgain(mail Mail) Outcome {
	key := sesv2.WithAPIOptions(smithyhttp.SetHeaderValue("Idempotency-Key", mail.Key))
	first, second := sesSend(mail, sesEmail(mail, "One"), key), sesSend(mail, sesEmail(mail, "One"), key)
	_, err := sesClient(mail, mail.Access.Secret).SendEmail(context.Background(), sesEmail(mail, "Other"), key)
	return Outcome{IDs: append(first.IDs, second.IDs...), Errors: []Failure{sesFailure(err)}}
}

func sesRaw(mail Mail) Outcome {
	text := fmt.Sprintf(sesRawMessage, mail.From, mail.To, mail.Invoice)
	raw := &types.RawMessage{Data: []byte(strings.ReplaceAll(text, "\n", "\r\n"))}
	return sesSend(mail, &sesv2.SendEmailInput{Content: &types.EmailContent{Raw: raw}})
}

func sesTemplate(mail Mail) Outcome {
	email := sesEmail(mail, "")
	email.Content = &types.EmailContent{Template: &types.Template{
		TemplateName: aws.String(mail.Template), TemplateData: aws.String(`{"code":"991"}`),
	}}
	return sesSend(mail, email)
}

func sesBatch(mail Mail) Outcome {
	email := &sesv2.SendBulkEmailInput{
		FromEmailAddress: aws.String(mail.From),
		DefaultContent: &types.BulkEmailContent{Template: &types.Template{
			TemplateName: aws.String(mail.Template), TemplateData: aws.String(`{"code":"1"}`),
		}},
	}
	for _, to := range mail.Several {
		entry := types.BulkEmailEntry{Destination: &types.Destination{ToAddresses: []string{to}}}
		email.BulkEmailEntries = append(email.BulkEmailEntries, entry)
	}
	sent := must(sesClient(mail, mail.Access.Secret).SendBulkEmail(context.Background(), email))
	var outcome Outcome
	for _, one := range sent.BulkEmailEntryResults {
		outcome.IDs = append(outcome.IDs, aws.ToString(one.MessageId))
	}
	return outcome
}

// The second error has a type of its own in the SDK.
func sesErrors(mail Mail) Outcome {
	email := sesEmail(mail, mail.Subject)
	_, wrong := sesClient(mail, unknown).SendEmail(context.Background(), email)
	email.ConfigurationSetName = aws.String("set")
	_, refused := sesClient(mail, mail.Access.Secret).SendEmail(context.Background(), email)
	var typed *types.BadRequestException
	if !errors.As(refused, &typed) {
		check(fmt.Errorf("not a BadRequestException: %w", refused))
	}
	return Outcome{Errors: []Failure{sesFailure(wrong), sesFailure(refused)}}
}
