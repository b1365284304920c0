// Command apiserver runs kube-apiserver with an etcd of its own on loopback until it is stopped. It prints the path of a kubeconfig
// when it is ready. Its arguments are further arguments of kube-apiserver.
//
// Every user may do everything, and there are no nodes. Of the controllers, that of namespaces and the garbage collector run, because
// clients wait for their work. controllers.go starts them.
package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"log"
	"net"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	dir, err := os.MkdirTemp("", "apiserver")
	if err != nil {
		log.Fatal(err)
	}
	err = run(dir)
	os.RemoveAll(dir)
	if err != nil {
		log.Fatal(err)
	}
}

func run(dir string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	etcd, err := startEtcd(dir)
	if err != nil {
		return err
	}
	defer etcd.Close()
	config, failed, err := startServer(ctx, dir, "http://"+etcd.Clients[0].Addr().String())
	if err != nil {
		return err
	}
	if err := untilReady(ctx, config, failed); err != nil {
		return err
	}
	if err := startControllers(ctx, config); err != nil {
		return err
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := writeKubeconfig(kubeconfig, config); err != nil {
		return err
	}
	fmt.Println(kubeconfig)
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}

func startEtcd(dir string) (*embed.Etcd, error) {
	cfg := embed.NewConfig()
	cfg.Dir = filepath.Join(dir, "etcd")
	cfg.LogLevel = "error"
	cfg.UnsafeNoFsync = true
	loopback := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	cfg.ListenClientUrls, cfg.ListenPeerUrls = loopback, loopback
	cfg.AdvertiseClientUrls, cfg.AdvertisePeerUrls = loopback, loopback
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	etcd, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, err
	}
	<-etcd.Server.ReadyNotify()
	return etcd, nil
}

// startServer starts kube-apiserver and returns how to reach it, and a channel with the error that ends it.
func startServer(ctx context.Context, dir, etcd string) (*rest.Config, <-chan error, error) {
	port, err := freePort()
	if err != nil {
		return nil, nil, err
	}
	key := filepath.Join(dir, "service-account.key")
	if err := writeKey(key); err != nil {
		return nil, nil, err
	}
	secret := make([]byte, 16)
	if _, err := rand.Read(secret); err != nil {
		return nil, nil, err
	}
	token := hex.EncodeToString(secret)
	tokens := filepath.Join(dir, "tokens.csv")
	if err := os.WriteFile(tokens, []byte(token+",admin,admin,system:masters\n"), 0o600); err != nil {
		return nil, nil, err
	}
	command := app.NewAPIServerCommand()
	command.SetArgs(append([]string{
		"--etcd-servers=" + etcd,
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(port),
		"--cert-dir=" + dir,
		"--token-auth-file=" + tokens,
		"--authorization-mode=AlwaysAllow",
		"--service-account-issuer=https://127.0.0.1",
		"--service-account-key-file=" + key,
		"--service-account-signing-key-file=" + key,
		"--service-cluster-ip-range=10.0.0.0/24",
		"--endpoint-reconciler-type=none",
		// No controller makes the accounts that it would demand.
		"--disable-admission-plugins=ServiceAccount",
	}, os.Args[1:]...))
	failed := make(chan error, 1)
	go func() { failed <- command.ExecuteContext(ctx) }()
	return &rest.Config{
		Host:            "https://127.0.0.1:" + strconv.Itoa(port),
		BearerToken:     token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(dir, "apiserver.crt")},
		QPS:             -1,
	}, failed, nil
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func writeKey(path string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
	return os.WriteFile(path, pem.EncodeToMemory(block), 0o600)
}

// untilReady waits until the server answers that it is ready, with the namespace `default` that it creates after its start.
func untilReady(ctx context.Context, config *rest.Config, failed <-chan error) error {
	for {
		select {
		case err := <-failed:
			return fmt.Errorf("kube-apiserver ended: %w", err)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			continue // The certificate is not there yet.
		}
		ready := client.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error() == nil
		if ready && client.RESTClient().Get().AbsPath("/api/v1/namespaces/default").Do(ctx).Error() == nil {
			return nil
		}
	}
}

func writeKubeconfig(path string, config *rest.Config) error {
	certificate, err := os.ReadFile(config.CAFile)
	if err != nil {
		return err
	}
	return clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{
			"test": {Server: config.Host, CertificateAuthorityData: certificate},
		},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"test": {Token: config.BearerToken}},
		Contexts:       map[string]*clientcmdapi.Context{"test": {Cluster: "test", AuthInfo: "test"}},
		CurrentContext: "test",
	}, path)
}
