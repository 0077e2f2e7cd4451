// Checks keys, checkpoints and proofs of axilog with Go's own packages for transparency logs, golang.org/x/mod/sumdb/note
// and tlog, and signs a checkpoint with the key for axilog to check.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run verify.go DIRECTORY
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must(err error) {
	if err != nil {
		log.Output(2, err.Error())
		os.Exit(1)
	}
}

func read(parts ...string) []byte {
	bytes, err := os.ReadFile(filepath.Join(parts...))
	must(err)
	return bytes
}

// commits computes the commit of each record of a ledger file, and compares it with the one in its line.
func commits(ledger []byte) [][]byte {
	var all [][]byte
	for number, line := range bytes.Split(bytes.TrimSuffix(ledger, []byte("\n")), []byte("\n")) {
		var entry struct {
			Commit, Tag string
			Record      json.RawMessage
			Seq         int
		}
		must(json.Unmarshal(line, &entry))
		var length [8]byte
		binary.LittleEndian.PutUint64(length[:], uint64(len(entry.Record)))
		commit := sha256.Sum256(append(append([]byte(entry.Tag), length[:]...), entry.Record...))
		if hex.EncodeToString(commit[:]) != entry.Commit || entry.Seq != number {
			log.Fatalf("record %d has another commit or number", number)
		}
		all = append(all, commit[:])
	}
	return all
}

// A head is what a checkpoint says.
type head struct {
	origin string
	size   int64
	root   tlog.Hash
}

// open verifies a checkpoint.
func open(message []byte, known note.Verifiers) head {
	opened, err := note.Open(message, known)
	must(err)
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || len(opened.Sigs) != 1 {
		log.Fatalf("a checkpoint of %d lines and %d signatures", len(lines), len(opened.Sigs))
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	root, err := tlog.ParseHash(lines[2])
	must(err)
	return head{lines[0], size, root}
}

// A witness signs a checkpoint with the time (C2SP tlog-cosignature). Its key is not one that the package note knows.
type witness struct {
	name string
	id   uint32
	key  ed25519.PublicKey
}

func readWitness(text string) witness {
	parts := strings.SplitN(strings.TrimSpace(text), "+", 3)
	typed, err := base64.StdEncoding.DecodeString(parts[2])
	must(err)
	hash := sha256.Sum256(append([]byte(parts[0]+"\n"), typed...))
	id := binary.BigEndian.Uint32(hash[:])
	if fmt.Sprintf("%08x", id) != parts[1] || typed[0] != 4 || len(typed) != 1+ed25519.PublicKeySize {
		log.Fatalf("the key of a witness: %s", text)
	}
	return witness{parts[0], id, typed[1:]}
}

func (w witness) Name() string    { return w.name }
func (w witness) KeyHash() uint32 { return w.id }

func (w witness) Verify(text, signature []byte) bool {
	if len(signature) != 8+ed25519.SignatureSize {
		return false
	}
	time := binary.BigEndian.Uint64(signature)
	return ed25519.Verify(w.key, fmt.Appendf(nil, "cosignature/v1\ntime %d\n%s", time, text), signature[8:])
}

// split gives the lines before the first empty line, the hashes among them, and the checkpoint.
func split(proof []byte, first int) ([]string, []tlog.Hash, []byte) {
	before, checkpoint, found := bytes.Cut(proof, []byte("\n\n"))
	if !found {
		log.Fatal("a proof without an empty line")
	}
	lines := strings.Split(string(before), "\n")
	var hashes []tlog.Hash
	for _, line := range lines[first:] {
		hash, err := tlog.ParseHash(line)
		must(err)
		hashes = append(hashes, hash)
	}
	return lines[:first], hashes, checkpoint
}

func number(line, name string) int64 {
	value, err := strconv.ParseInt(strings.TrimPrefix(line, name), 10, 64)
	must(err)
	return value
}

func main() {
	log.SetFlags(log.Lshortfile)
	directory := os.Args[1]
	verifier, err := note.NewVerifier(strings.TrimSpace(string(read(directory, "public"))))
	must(err)
	known := note.VerifierList(verifier)
	cosigner := readWitness(string(read(directory, "witness")))
	both := note.VerifierList(verifier, cosigner)
	leaves := commits(read(directory, "ledger.jsonl"))

	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		var hashes []tlog.Hash
		for _, index := range indexes {
			hashes = append(hashes, stored[index])
		}
		return hashes, nil
	})
	for n, leaf := range leaves {
		hashes, err := tlog.StoredHashes(int64(n), leaf, reader)
		must(err)
		stored = append(stored, hashes...)
	}

	checked := map[string]int{}
	files, err := filepath.Glob(filepath.Join(directory, "*"))
	must(err)
	for _, file := range files {
		kind := filepath.Ext(file)
		switch kind {
		case ".checkpoint":
			content := read(file)
			checkpoint := open(content, known)
			root, err := tlog.TreeHash(checkpoint.size, reader)
			must(err)
			if root != checkpoint.root || checkpoint.origin != verifier.Name() {
				log.Fatalf("%s: another root or origin", file)
			}
			if _, err := note.Open(bytes.Replace(content, []byte("\n"), []byte("0\n"), 1), known); err == nil {
				log.Fatalf("%s: holds with another origin", file)
			}
			checked[kind]++
		case ".cosigned":
			content := read(file)
			opened, err := note.Open(content, both)
			must(err)
			alone, err := note.Open(content, note.VerifierList(cosigner))
			must(err)
			if len(opened.Sigs) != 2 || len(alone.Sigs) != 1 {
				log.Fatalf("%s: %d signatures, of the witness %d", file, len(opened.Sigs), len(alone.Sigs))
			}
			if _, err := note.Open(bytes.Replace(content, []byte("\n"), []byte("0\n"), 1), note.VerifierList(cosigner)); err == nil {
				log.Fatalf("%s: the witness's signature holds with another origin", file)
			}
			checked[kind]++
		case ".tlog-proof":
			lines, hashes, checkpoint := split(read(file), 3)
			of := open(checkpoint, known)
			n := number(lines[2], "index ")
			must(tlog.CheckRecord(hashes, of.size, of.root, n, tlog.RecordHash(leaves[n])))
			if tlog.CheckRecord(hashes, of.size, of.root, n, tlog.RecordHash(leaves[(n+1)%of.size])) == nil {
				log.Fatalf("%s: proves another record", file)
			}
			checked[kind]++
		case ".extension":
			lines, hashes, checkpoint := split(read(file), 1)
			of := open(checkpoint, known)
			old := number(lines[0], "old ")
			root, err := tlog.TreeHash(old, reader)
			must(err)
			must(tlog.CheckTree(hashes, of.size, of.root, old, root))
			root[0] ^= 1
			if tlog.CheckTree(hashes, of.size, of.root, old, root) == nil {
				log.Fatalf("%s: proves another old root", file)
			}
			checked[kind]++
		}
	}

	signer, err := note.NewSigner(strings.TrimSpace(string(read(directory, "plant.key"))))
	must(err)
	root, err := tlog.TreeHash(int64(len(leaves)), reader)
	must(err)
	text := fmt.Sprintf("%s\n%d\n%s\n", signer.Name(), len(leaves), root)
	signed, err := note.Sign(&note.Note{Text: text}, signer)
	must(err)
	must(os.WriteFile(filepath.Join(directory, "signed-by-go"), signed, 0o644))
	fmt.Println(checked[".checkpoint"], checked[".tlog-proof"], checked[".extension"], checked[".cosigned"])
}
