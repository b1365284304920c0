package main

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
)

// startControllers starts the controller of namespaces and the garbage collector, as cmd/kube-controller-manager/app/core.go does.
func startControllers(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	objects, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	shared := informers.NewSharedInformerFactory(client, 0)
	sharedMetadata := metadatainformer.NewSharedInformerFactory(objects, 0)

	namespaces := namespace.NewNamespaceController(ctx, client, objects,
		client.Discovery().ServerPreferredNamespacedResources, shared.Core().V1().Namespaces(), time.Minute, v1.FinalizerKubernetes)
	started := make(chan struct{})
	collector, err := garbagecollector.NewGarbageCollector(ctx, client, objects,
		restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery())),
		garbagecollector.DefaultIgnoredResources(), informerfactory.NewInformerFactory(shared, sharedMetadata), started)
	if err != nil {
		return err
	}

	shared.Start(ctx.Done())
	sharedMetadata.Start(ctx.Done())
	close(started)
	go namespaces.Run(ctx, 2)
	go collector.Run(ctx, 2, 5*time.Second)
	// New definitions are found after a second.
	go collector.Sync(ctx, client.Discovery(), time.Second)
	return nil
}
