//go:build discovery

package main

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	generated "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	generic "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// start starts the server with /apis, the list of groups, which kube-apiserver's aggregator serves in a cluster. The fixture has no
// switch for it. Everything else is as in the fixture.
func start(arguments ...string) (func(), *rest.Config, error) {
	dir, err := os.MkdirTemp("", "crdserver-discovery")
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	stop := func() {
		cancel()
		os.RemoveAll(dir)
	}
	server, err := create(dir, arguments)
	if err != nil {
		stop()
		return nil, nil, err
	}
	go server.PrepareRun().RunWithContext(ctx)
	if err := healthy(ctx, server.LoopbackClientConfig); err != nil {
		stop()
		return nil, nil, err
	}
	return stop, server.LoopbackClientConfig, nil
}

// create makes a server that keeps its certificate in a folder.
func create(dir string, arguments []string) (*generic.GenericAPIServer, error) {
	kubeconfig, err := unused(dir)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	o := options.NewCustomResourceDefinitionsServerOptions(io.Discard, io.Discard)
	flags := pflag.NewFlagSet("crdserver", pflag.ContinueOnError)
	o.AddFlags(flags)
	serving := o.RecommendedOptions.SecureServing
	serving.Listener, serving.BindPort = listener, listener.Addr().(*net.TCPAddr).Port
	serving.ExternalAddress = listener.Addr().(*net.TCPAddr).IP
	serving.ServerCert.CertDirectory = dir
	err = flags.Parse(append([]string{
		"--authentication-skip-lookup",
		"--authentication-kubeconfig", kubeconfig,
		"--authorization-kubeconfig", kubeconfig,
		"--kubeconfig", kubeconfig,
		"--enable-priority-and-fairness=false",
		"--disable-admission-plugins", "NamespaceLifecycle,MutatingAdmissionWebhook,ValidatingAdmissionWebhook,ValidatingAdmissionPolicy,MutatingAdmissionPolicy",
	}, arguments...))
	if err != nil {
		return nil, err
	}
	if err := o.ServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, err
	}
	if err := o.Complete(); err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	config, err := o.Config()
	if err != nil {
		return nil, err
	}
	namer := openapi.NewDefinitionNamer(apiserver.Scheme)
	config.GenericConfig.OpenAPIConfig = generic.DefaultOpenAPIConfig(generated.GetOpenAPIDefinitions, namer)
	completed := config.Complete()
	completed.GenericConfig.EnableDiscovery = true
	server, err := completed.New(generic.NewEmptyDelegate())
	if err != nil {
		return nil, err
	}
	return server.GenericAPIServer, nil
}

// unused writes a kubeconfig of a server that does not exist. The options want one, and no request is sent there.
func unused(dir string) (string, error) {
	path := filepath.Join(dir, "unused.kubeconfig")
	return path, clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"unused": {Server: "http://127.1.2.3:12345"}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"unused": {Username: "unused", Password: "unused"}},
		Contexts:       map[string]*clientcmdapi.Context{"unused": {Cluster: "unused", AuthInfo: "unused"}},
		CurrentContext: "unused",
	}, path)
}

// healthy waits until the server answers that it is.
func healthy(ctx context.Context, config *rest.Config) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	for {
		err := client.Discovery().RESTClient().Get().AbsPath("/healthz").Do(ctx).Error()
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}
