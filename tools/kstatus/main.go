// Records what kstatus answers for each object of a list. The test of health() reads the same list and the answers.
//
//	go -C tools/kstatus run .
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Paths relative to this folder, where `go -C` starts the program.
const (
	objectsPath = "../../packages/apimachinery/test/kstatus/objects.json"
	answersPath = "../../packages/apimachinery/test/kstatus/answers.json"
)

type object struct {
	Name   string          `json:"name"`
	Object json.RawMessage `json:"object"`
}

type answer struct {
	Name string `json:"name"`
	// Digest of the object's compact JSON: the test finds an object that changed after the answer was recorded.
	Digest  string `json:"digest"`
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message"`
}

func main() {
	if err := record(); err != nil {
		fmt.Fprintln(os.Stderr, "kstatus:", err)
		os.Exit(1)
	}
}

func record() error {
	text, err := os.ReadFile(objectsPath)
	if err != nil {
		return err
	}
	var objects []object
	if err := json.Unmarshal(text, &objects); err != nil {
		return fmt.Errorf("%s: %w", objectsPath, err)
	}
	answers := make([]answer, 0, len(objects))
	for _, each := range objects {
		answers = append(answers, answerOf(each))
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(answers); err != nil {
		return err
	}
	return os.WriteFile(answersPath, out.Bytes(), 0o644)
}

// An object that kstatus refuses has the status Error.
func answerOf(each object) answer {
	found := answer{Name: each.Name, Digest: digestOf(each.Object)}
	var u unstructured.Unstructured
	// As from a server: integers become int64.
	if err := u.UnmarshalJSON(each.Object); err != nil {
		found.Status, found.Message = "Error", err.Error()
		return found
	}
	result, err := status.Compute(&u)
	if err != nil {
		found.Status, found.Message = "Error", err.Error()
		return found
	}
	found.Status, found.Message = result.Status.String(), result.Message
	if len(result.Conditions) > 0 {
		found.Reason = result.Conditions[0].Reason
	}
	return found
}

func digestOf(text json.RawMessage) string {
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		panic(err) // It was decoded before.
	}
	sum := sha256.Sum256(compact.Bytes())
	return hex.EncodeToString(sum[:8])
}
