package realtest

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"strings"
	"time"
)

// onlyKnownClients: kube-scheduler itself, without a proxy, calls over TLS with a certificate of its own; a
// client without one gets nothing.
func onlyKnownClients(l *lab) {
	l.build(evenZones(2, 2)...)
	authority := l.plane.clientCA
	ca := l.plane.write(l.T, l.name+"-ca.crt", string(authority.certificate))
	server, serverKey := l.plane.writePair(l.T, l.name+"-server")(authority.serverCertificate(l.T))
	client, clientKey := l.plane.writePair(l.T, l.name+"-client")(authority.clientCertificate(l.T, "kube-scheduler"))
	l.zonecut = l.startZonecut("--tls-cert", server, "--tls-key", serverKey, "--client-ca", ca)
	l.zonecut.address = strings.Replace(l.zonecut.address, "http://", "https://", 1)

	known, err := tls.LoadX509KeyPair(client, clientKey)
	if err != nil {
		l.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(authority.certificate)
	anonymous := &tls.Config{RootCAs: trusted}
	l.zonecut.client.Transport = &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted, Certificates: []tls.Certificate{known}}}
	eventually(l, "zonecut serve to be ready", 20*time.Second, l.zonecut.isReady)

	stranger := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{TLSClientConfig: anonymous}}
	if response, err := stranger.Post(l.zonecut.address+"/v1/filter", "application/json", strings.NewReader("{}")); err == nil {
		response.Body.Close()
		if response.StatusCode != http.StatusUnauthorized && response.StatusCode != http.StatusForbidden {
			l.Errorf("a client without a certificate is answered %s", response.Status)
		}
	}

	l.settings.extender = l.zonecut.address
	l.settings.tls = map[string]any{"caFile": ca, "certFile": client, "keyFile": clientKey}
	l.schedule()
	pods := l.gang("train", 8, pipeline(8))
	wakes := l.plane.wakes.now()
	l.create(pods...)
	l.equal(l.place(pipeline(8)), l.awaitAll(soon, pods))
	// Nobody stands between to count for each pod; so of all together, as in calm().
	if calls, due := l.filterAnswers(), len(pods)*(2+int(l.plane.wakes.now()-wakes)); calls > due || calls < len(pods) {
		l.Errorf("%d filter calls for %d pods, at most %d were due", calls, len(pods), due)
	}
	l.checkZonecut()
}
