// Command typedclient uses the typed clients of Go with their default content type, which is protobuf, and prints what it sees.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const namespace = "default"

// types counts the media types of requests and responses.
type mediaTypes struct {
	base  http.RoundTripper
	types map[string]bool
}

func (t *mediaTypes) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.base.RoundTrip(request)
	if err == nil && request.Method != http.MethodGet {
		t.types[request.Method+" "+request.Header.Get("Content-Type")+" "+response.Header.Get("Content-Type")] = true
	}
	return response, err
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(err)
	sent := &mediaTypes{types: map[string]bool{}}
	config.Wrap(func(base http.RoundTripper) http.RoundTripper {
		sent.base = base
		return sent
	})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client := kubernetes.NewForConfigOrDie(config)
	inform(ctx, client)
	writeSecret(ctx, client)
	deploy(ctx, client)
	lead(ctx, client)
	define(ctx, config)
	remove(ctx, client)
	fmt.Println("create in protobuf", sent.types["POST application/vnd.kubernetes.protobuf application/vnd.kubernetes.protobuf"])
	fmt.Println("delete in protobuf", sent.types["DELETE application/vnd.kubernetes.protobuf application/vnd.kubernetes.protobuf"])
}

// inform sees a ConfigMap being created, changed and deleted in an informer.
func inform(ctx context.Context, client kubernetes.Interface) {
	seen := make(chan string, 10)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().ConfigMaps().Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { seen <- "added " + object.(*corev1.ConfigMap).Data["a"] },
		UpdateFunc: func(_, object any) { seen <- "updated " + object.(*corev1.ConfigMap).Data["a"] },
		DeleteFunc: func(object any) { seen <- "deleted " + object.(*corev1.ConfigMap).Data["a"] },
	})
	check(err)
	factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
	maps := client.CoreV1().ConfigMaps(namespace)
	created, err := maps.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "map"}, Data: map[string]string{"a": "1"}, BinaryData: map[string][]byte{"b": {0, 255}},
	}, metav1.CreateOptions{})
	check(err)
	fmt.Println("created", created.Name, created.Data, created.BinaryData, created.CreationTimestamp.Year() > 2000)
	fmt.Println(<-seen)
	created.Data["a"] = "2"
	_, err = maps.Update(ctx, created, metav1.UpdateOptions{})
	check(err)
	fmt.Println(<-seen)
	check(maps.Delete(ctx, "map", *metav1.NewPreconditionDeleteOptions(string(created.UID))))
	fmt.Println(<-seen)
	_, err = maps.Get(ctx, "map", metav1.GetOptions{})
	fmt.Println("gone", errors.IsNotFound(err))
	_, err = maps.Update(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "map"}}, metav1.UpdateOptions{})
	fmt.Println("error", err)
}

func writeSecret(ctx context.Context, client kubernetes.Interface) {
	secret, err := client.CoreV1().Secrets(namespace).Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "secret-"}, StringData: map[string]string{"key": "value"},
	}, metav1.CreateOptions{})
	check(err)
	fmt.Println("secret", string(secret.Data["key"]), secret.Type)
}

// deploy writes a Deployment with quantities, ports by name and number, and zero values that count.
func deploy(ctx context.Context, client kubernetes.Interface) {
	replicas, no := int32(0), false
	unavailable := intstr.FromString("25%")
	labels := map[string]string{"app": "web"}
	deployments := client.AppsV1().Deployments(namespace)
	_, err := deployments.Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Strategy: appsv1.DeploymentStrategy{RollingUpdate: &appsv1.RollingUpdateDeployment{MaxUnavailable: &unavailable}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					AutomountServiceAccountToken: &no,
					Containers: []corev1.Container{{
						Name: "web", Image: "web:1",
						Resources:     corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("1500m")}},
						LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt32(8080)}}},
						EnvFrom:       []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "s"}}}},
					}},
					Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
				},
			},
		},
	}, metav1.CreateOptions{})
	check(err)
	got, err := deployments.Get(ctx, "web", metav1.GetOptions{})
	check(err)
	pod := got.Spec.Template.Spec
	container := pod.Containers[0]
	fmt.Println("deployment", *got.Spec.Replicas, got.Spec.Strategy.RollingUpdate.MaxUnavailable, *pod.AutomountServiceAccountToken,
		container.Resources.Limits.Cpu(), container.LivenessProbe.HTTPGet.Port.IntValue(), container.EnvFrom[0].SecretRef.Name, pod.Volumes[0].EmptyDir != nil)
	scale, err := deployments.GetScale(ctx, "web", metav1.GetOptions{})
	check(err)
	scale.Spec.Replicas = 3
	scale, err = deployments.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{})
	check(err)
	fmt.Println("scale", scale.Spec.Replicas, scale.Status.Selector)
	got, err = deployments.Patch(ctx, "web", types.StrategicMergePatchType, []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:2"}]}}}}`), metav1.PatchOptions{})
	check(err)
	got.Status.ReadyReplicas = 2
	got, err = deployments.UpdateStatus(ctx, got, metav1.UpdateOptions{})
	check(err)
	fmt.Println("status", got.Status.ReadyReplicas, got.Spec.Template.Spec.Containers[0].Image)
}

// lead becomes the leader, and gives that up.
func lead(ctx context.Context, client kubernetes.Interface) {
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, namespace, "leader", client.CoreV1(), client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: "me"})
	check(err)
	leading, stop := context.WithCancel(ctx)
	leaderelection.RunOrDie(leading, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				lease, err := client.CoordinationV1().Leases(namespace).Get(ctx, "leader", metav1.GetOptions{})
				check(err)
				fmt.Println("leader", *lease.Spec.HolderIdentity, *lease.Spec.LeaseDurationSeconds, lease.Spec.AcquireTime.IsZero())
				stop()
			},
			OnStoppedLeading: func() {},
		},
	})
	lease, err := client.CoordinationV1().Leases(namespace).Get(ctx, "leader", metav1.GetOptions{})
	check(err)
	fmt.Printf("released %q\n", *lease.Spec.HolderIdentity)
}

// define creates a CRD, whose client sends protobuf, too.
func define(ctx context.Context, config *rest.Config) {
	definitions := apiextensions.NewForConfigOrDie(config).ApiextensionsV1().CustomResourceDefinitions()
	keep, least := true, 1.5
	created, err := definitions.Create(ctx, &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "hats.e.io"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "e.io", Scope: apiextensionsv1.NamespaceScoped, Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "hats", Kind: "Hat"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object",
					Properties: map[string]apiextensionsv1.JSONSchemaProps{
						"size":   {Type: "number", Minimum: &least, Default: &apiextensionsv1.JSON{Raw: []byte("2")}},
						"sizes":  {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "integer"}}},
						"labels": {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &apiextensionsv1.JSONSchemaProps{Type: "string"}}},
						"any":    {XPreserveUnknownFields: &keep, Type: "object"},
					},
				}},
			}},
		},
	}, metav1.CreateOptions{})
	check(err)
	schema := created.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties
	fmt.Println("definition", created.Spec.Names.ListKind, *schema["size"].Minimum, string(schema["size"].Default.Raw), schema["sizes"].Items.Schema.Type,
		schema["labels"].AdditionalProperties.Schema.Type, *schema["any"].XPreserveUnknownFields)
	check(definitions.Delete(ctx, "hats.e.io", metav1.DeleteOptions{}))
}

func remove(ctx context.Context, client kubernetes.Interface) {
	check(client.CoreV1().Secrets(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	secrets, err := client.CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{})
	check(err)
	propagation := metav1.DeletePropagationBackground
	check(client.AppsV1().Deployments(namespace).Delete(ctx, "web", metav1.DeleteOptions{PropagationPolicy: &propagation}))
	_, err = client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other"}}, metav1.CreateOptions{})
	check(err)
	check(client.CoreV1().Namespaces().Delete(ctx, "other", metav1.DeleteOptions{}))
	fmt.Println("left", len(secrets.Items))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
