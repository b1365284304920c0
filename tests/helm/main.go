// Command helm is Helm, built from its module, so that tests need no other program than Go.
package main

import (
	"log/slog"
	"os"

	"helm.sh/helm/v4/pkg/cmd"
	"helm.sh/helm/v4/pkg/kube"

	// Authentication of clusters.
	_ "k8s.io/client-go/plugin/pkg/client/auth"
)

func main() {
	kube.ManagedFieldsManager = "helm"
	command, err := cmd.NewRootCmd(os.Stdout, os.Args[1:], cmd.SetupLogging)
	if err != nil {
		slog.Warn("command failed", slog.Any("error", err))
		os.Exit(1)
	}
	if err := command.Execute(); err != nil {
		os.Exit(1)
	}
}
