// Command goclient uses an API server as controllers in Go do: discovery, a dynamic client, informers, server-side apply, metadata and
// scales. It prints what it sees, without what differs from run to run, so that two servers can be compared.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"sort"
	"strings"
	"time"

	autoscaling "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/pager"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/client-go/util/retry"
)

const (
	group     = "stable.example.com"
	namespace = "default"
	patience  = 30 * time.Second
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	mapping, mapper := discover(config)
	shirts := dynamic.NewForConfigOrDie(config).Resource(mapping.Resource).Namespace(namespace)
	events := inform(ctx, config, mapping.Resource)
	begin := objects(ctx, shirts, events)
	owners(ctx, shirts, events)
	subresources(ctx, config, shirts, mapper, events)
	pages(ctx, shirts)
	replay(ctx, shirts, begin)
	partial(ctx, config, mapping.Resource)
	remove(ctx, shirts, events)
}

// discover finds the resource of a kind and prints all resources of its group.
func discover(config *rest.Config) (*meta.RESTMapping, meta.RESTMapper) {
	client := discovery.NewDiscoveryClientForConfigOrDie(config)
	lists, err := client.ServerPreferredResources()
	check(err)
	for _, list := range lists {
		if strings.HasPrefix(list.GroupVersion, group) {
			for _, resource := range list.APIResources {
				fmt.Println("resource", resource.Name, resource.Kind, resource.Namespaced, resource.Verbs, resource.ShortNames, resource.Categories)
			}
		}
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: group, Kind: "Shirt"})
	check(err)
	fmt.Println("mapping", mapping.Resource.Resource, mapping.GroupVersionKind.Version, mapping.Scope.Name())
	return mapping, mapper
}

// inform starts an informer and returns its events.
func inform(ctx context.Context, config *rest.Config, resource schema.GroupVersionResource) <-chan string {
	events := make(chan string, 100)
	send := func(kind string, object interface{}) {
		shirt := object.(*unstructured.Unstructured)
		color, _, _ := unstructured.NestedString(shirt.Object, "spec", "color")
		events <- fmt.Sprint(kind, " ", shirt.GetName(), " ", color, " ", shirt.GetGeneration())
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(config), 0)
	informer := factory.ForResource(resource).Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object interface{}) { send("added", object) },
		UpdateFunc: func(_, object interface{}) { send("updated", object) },
		DeleteFunc: func(object interface{}) { send("deleted", object) },
	})
	check(err)
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		log.Fatal("the cache of the informer was not filled")
	}
	return events
}

// expect prints the next event of the informer.
func expect(events <-chan string) {
	select {
	case event := <-events:
		fmt.Println("event", event)
	case <-time.After(patience):
		log.Fatal("an event is missing")
	}
}

func shirt(name, color string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]interface{}{
		"apiVersion": group + "/v1", "kind": "Shirt",
		"metadata": map[string]interface{}{"name": name, "labels": map[string]interface{}{"color": color}},
		"spec":     map[string]interface{}{"color": color},
	}}
}

// objects creates, refuses and updates objects, and returns the revision of the first one.
func objects(ctx context.Context, shirts dynamic.ResourceInterface, events <-chan string) string {
	first, err := shirts.Create(ctx, shirt("a", "red"), metav1.CreateOptions{})
	check(err)
	replicas, _, _ := unstructured.NestedInt64(first.Object, "spec", "replicas")
	fmt.Println("created", first.GetName(), "with replicas", replicas)
	expect(events)
	_, err = shirts.Create(ctx, shirt("a", "red"), metav1.CreateOptions{})
	fmt.Println("again:", errors.IsAlreadyExists(err), err)
	_, err = shirts.Create(ctx, shirt("b", "pink"), metav1.CreateOptions{})
	fmt.Println("pink:", errors.IsInvalid(err), err)
	for _, name := range []string{"b", "c", "d"} {
		_, err = shirts.Create(ctx, shirt(name, "blue"), metav1.CreateOptions{})
		check(err)
		expect(events)
	}
	old := first.DeepCopy()
	check(retry.RetryOnConflict(retry.DefaultRetry, func() error {
		current, err := shirts.Get(ctx, "a", metav1.GetOptions{})
		check(err)
		check(unstructured.SetNestedField(current.Object, "green", "spec", "color"))
		_, err = shirts.Update(ctx, current, metav1.UpdateOptions{})
		return err
	}))
	expect(events)
	_, err = shirts.Update(ctx, old, metav1.UpdateOptions{})
	fmt.Println("stale:", errors.IsConflict(err), err)
	_, err = shirts.Patch(ctx, "b", types.MergePatchType, []byte(`{"metadata":{"labels":{"x":"y"}}}`), metav1.PatchOptions{})
	check(err)
	expect(events)
	_, err = shirts.Patch(ctx, "b", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{})
	fmt.Println("strategic:", errors.IsUnsupportedMediaType(err), err)
	_, err = shirts.Get(ctx, "none", metav1.GetOptions{})
	fmt.Println("none:", errors.IsNotFound(err), err)
	return first.GetResourceVersion()
}

// owners applies an object under two names.
func owners(ctx context.Context, shirts dynamic.ResourceInterface, events <-chan string) {
	apply := func(manager, color string, force bool) error {
		applied, err := shirts.Apply(ctx, "e", shirt("e", color), metav1.ApplyOptions{FieldManager: manager, Force: force})
		if err != nil {
			return err
		}
		var managers []string
		for _, entry := range applied.GetManagedFields() {
			managers = append(managers, entry.Manager+" "+string(entry.FieldsV1.Raw))
		}
		sort.Strings(managers)
		fmt.Println("applied", strings.Join(managers, ", "))
		return nil
	}
	check(apply("first", "red", false))
	expect(events)
	err := apply("second", "blue", false)
	fmt.Println("conflict:", errors.IsConflict(err), err)
	check(apply("second", "blue", true))
	expect(events)
}

// subresources writes the status and the scale of an object.
func subresources(ctx context.Context, config *rest.Config, shirts dynamic.ResourceInterface, mapper meta.RESTMapper, events <-chan string) {
	current, err := shirts.Get(ctx, "b", metav1.GetOptions{})
	check(err)
	check(unstructured.SetNestedField(current.Object, int64(2), "status", "replicas"))
	check(unstructured.SetNestedField(current.Object, "color=blue", "status", "selector"))
	check(unstructured.SetNestedField(current.Object, "red", "spec", "color"))
	updated, err := shirts.UpdateStatus(ctx, current, metav1.UpdateOptions{})
	check(err)
	fmt.Println("status", updated.Object["status"], updated.Object["spec"], updated.GetGeneration())
	expect(events)
	client := discovery.NewDiscoveryClientForConfigOrDie(config)
	scales, err := scale.NewForConfig(config, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(client))
	check(err)
	resource := schema.GroupResource{Group: group, Resource: "shirts"}
	found, err := scales.Scales(namespace).Get(ctx, resource, "b", metav1.GetOptions{})
	check(err)
	fmt.Println("scale", found.Spec.Replicas, found.Status.Replicas, found.Status.Selector)
	var wanted *autoscaling.Scale = found.DeepCopy()
	wanted.Spec.Replicas = 4
	found, err = scales.Scales(namespace).Update(ctx, resource, wanted, metav1.UpdateOptions{})
	check(err)
	fmt.Println("scaled", found.Spec.Replicas)
	expect(events)
}

// pages lists with selectors and page by page.
func pages(ctx context.Context, shirts dynamic.ResourceInterface) {
	names := func(options metav1.ListOptions) []string {
		list, err := shirts.List(ctx, options)
		check(err)
		var names []string
		for _, item := range list.Items {
			names = append(names, item.GetName())
		}
		return names
	}
	fmt.Println("all", names(metav1.ListOptions{}))
	fmt.Println("blue", names(metav1.ListOptions{LabelSelector: labels.Set{"color": "blue"}.String()}))
	fmt.Println("green", names(metav1.ListOptions{FieldSelector: "spec.color=green"}))
	count := 0
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		count++
		return shirts.List(ctx, options)
	})
	pages.PageSize = 2
	items := 0
	check(pages.EachListItem(ctx, metav1.ListOptions{}, func(runtime.Object) error {
		items++
		return nil
	}))
	fmt.Println("pages", count, "items", items)
}

// replay watches from a revision of the past until an object is seen.
func replay(ctx context.Context, shirts dynamic.ResourceInterface, revision string) {
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, revision, &cache.ListWatch{
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) { return shirts.Watch(ctx, options) },
	})
	check(err)
	defer watcher.Stop()
	last, err := watchtools.UntilWithoutRetry(ctx, watcher, func(event watch.Event) (bool, error) {
		object := event.Object.(*unstructured.Unstructured)
		fmt.Println("replayed", event.Type, object.GetName(), object.GetGeneration())
		return object.GetName() == "e", nil
	})
	check(err)
	fmt.Println("until", last.Type)
}

// partial reads the metadata of objects alone, with a client and an informer.
func partial(ctx context.Context, config *rest.Config, resource schema.GroupVersionResource) {
	client := metadata.NewForConfigOrDie(config)
	object, err := client.Resource(resource).Namespace(namespace).Get(ctx, "a", metav1.GetOptions{})
	check(err)
	fmt.Println("metadata", object.Kind, object.Name, object.Labels)
	list, err := client.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{Limit: 2})
	check(err)
	fmt.Println("metadata of", len(list.Items), "and", *list.RemainingItemCount, "more")
	factory := metadatainformer.NewSharedInformerFactory(client, 0)
	lister := factory.ForResource(resource)
	informer := lister.Informer()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		log.Fatal("the cache of metadata was not filled")
	}
	objects, err := lister.Lister().List(labels.Everything())
	check(err)
	fmt.Println("cached metadata of", len(objects))
}

// remove deletes an object with a finalizer, and then all others.
func remove(ctx context.Context, shirts dynamic.ResourceInterface, events <-chan string) {
	finalizers := func(list string) {
		patch := []byte(`{"metadata":{"finalizers":` + list + `}}`)
		_, err := shirts.Patch(ctx, "a", types.MergePatchType, patch, metav1.PatchOptions{})
		check(err)
		expect(events)
	}
	finalizers(`["example.com/hold"]`)
	check(shirts.Delete(ctx, "a", metav1.DeleteOptions{}))
	expect(events)
	current, err := shirts.Get(ctx, "a", metav1.GetOptions{})
	check(err)
	fmt.Println("going", current.GetDeletionTimestamp() != nil)
	finalizers(`null`)
	check(shirts.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	for range []string{"b", "c", "d", "e"} {
		expect(events)
	}
	list, err := shirts.List(ctx, metav1.ListOptions{})
	check(err)
	fmt.Println("left", len(list.Items))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
