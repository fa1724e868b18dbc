package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
)

// key signs with ES256.
type key struct{ *ecdsa.PrivateKey }

func newKey() (key, error) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return key{k}, err
}

// readKey reads a key of PKCS #8.
func readKey(text string) (key, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return key{}, errors.New("the key is no PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return key{}, err
	}
	k, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return key{}, errors.New("the key is not one of ES256")
	}
	return key{k}, nil
}

// sign returns a signature in the form of JWS.
func (k key) sign(data []byte) ([]byte, error) {
	sum := sha256.Sum256(data)
	r, s, err := ecdsa.Sign(rand.Reader, k.PrivateKey, sum[:])
	if err != nil {
		return nil, err
	}
	both := make([]byte, 64)
	r.FillBytes(both[:32])
	s.FillBytes(both[32:])
	return both, nil
}

// proof returns a DPoP header (RFC 9449, section 4.2).
func (k key) proof(_ context.Context, p oauth.Proof) (string, error) {
	point, err := k.PublicKey.Bytes() // 4, x, y
	if err != nil {
		return "", err
	}
	head := map[string]any{"typ": "dpop+jwt", "alg": "ES256", "jwk": map[string]string{"kty": "EC", "crv": "P-256", "x": encode(point[1:33]), "y": encode(point[33:])}}
	claims := map[string]any{"jti": rand.Text(), "htm": p.Method, "htu": p.URL, "iat": time.Now().Unix()}
	if p.Nonce != "" {
		claims["nonce"] = p.Nonce
	}
	if p.Token != "" {
		sum := sha256.Sum256([]byte(p.Token))
		claims["ath"] = encode(sum[:])
	}
	var parts [2]string
	for i, v := range []any{head, claims} {
		text, err := json.Marshal(v)
		if err != nil {
			return "", err
		}
		parts[i] = encode(text)
	}
	signed := parts[0] + "." + parts[1]
	signature, err := k.sign([]byte(signed))
	return signed + "." + encode(signature), err
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
