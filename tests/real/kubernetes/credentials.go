package realtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"testing"
	"time"
)

// authority signs certificates of clients.
type authority struct {
	parsed      *x509.Certificate
	key         *ecdsa.PrivateKey
	certificate []byte // PEM
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	template := certificateTemplate("clients of the test")
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign
	own := &authority{parsed: template, key: newKey(t)}
	own.certificate = own.sign(t, template, own.key)
	block, _ := pem.Decode(own.certificate)
	var err error
	if own.parsed, err = x509.ParseCertificate(block.Bytes); err != nil {
		t.Fatal(err)
	}
	return own
}

// clientCertificate makes a certificate of a user and its key, both as PEM.
func (own *authority) clientCertificate(t *testing.T, user string) (certificate, key string) {
	t.Helper()
	template := certificateTemplate(user)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return own.issue(t, template)
}

// serverCertificate is one for 127.0.0.1.
func (own *authority) serverCertificate(t *testing.T) (certificate, key string) {
	t.Helper()
	template := certificateTemplate("zonecut")
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	return own.issue(t, template)
}

func (own *authority) issue(t *testing.T, template *x509.Certificate) (certificate, key string) {
	t.Helper()
	private := newKey(t)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(own.sign(t, template, private)), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}))
}

func (own *authority) sign(t *testing.T, template *x509.Certificate, of *ecdsa.PrivateKey) []byte {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, own.parsed, of.Public(), own.key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func certificateTemplate(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
	}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// kubeconfig writes one whose user is described by `user`, lines of YAML indented by six.
func (plane *controlPlane) kubeconfig(t *testing.T, name, user string) string {
	t.Helper()
	return plane.kubeconfigBy(t, name, user, plane.address)
}

// kubeconfigBy leads to the API server by way of another address.
func (plane *controlPlane) kubeconfigBy(t *testing.T, name, user, address string) string {
	t.Helper()
	return plane.write(t, name+".kubeconfig", fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
  - name: test
    cluster:
      server: %s
      certificate-authority: %s
users:
  - name: user
    user:
%s
contexts:
  - name: test
    context: {cluster: test, user: user}
current-context: test
`, address, plane.caFile, user))
}

func tokenLine(token string) string { return `      token: "` + token + `"` }

func (plane *controlPlane) tokenKubeconfig(t *testing.T, name, token string) string {
	t.Helper()
	return plane.kubeconfig(t, name, tokenLine(token))
}

func (plane *controlPlane) tokenFileKubeconfig(t *testing.T, name, token string) string {
	t.Helper()
	return plane.kubeconfig(t, name, "      tokenFile: "+plane.write(t, name+".token", token+"\n"))
}

func (plane *controlPlane) certificateKubeconfig(t *testing.T, name, user string) string {
	t.Helper()
	certificate, key := plane.writePair(t, name)(plane.clientCA.clientCertificate(t, user))
	return plane.kubeconfig(t, name, fmt.Sprintf("      client-certificate: %s\n      client-key: %s", certificate, key))
}

// writePair writes a certificate and its key, and names the files.
func (plane *controlPlane) writePair(t *testing.T, name string) func(certificate, key string) (string, string) {
	t.Helper()
	return func(certificate, key string) (string, string) {
		return plane.write(t, name+".crt", certificate), plane.write(t, name+".key", key)
	}
}
