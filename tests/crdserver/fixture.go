//go:build !discovery

package main

import (
	"log"

	"k8s.io/apiextensions-apiserver/test/integration/fixtures"
	"k8s.io/client-go/rest"
)

type logger struct{}

func (logger) Errorf(f string, a ...interface{}) { log.Printf(f, a...) }
func (logger) Fatalf(f string, a ...interface{}) { log.Fatalf(f, a...) }
func (logger) Logf(f string, a ...interface{})   { log.Printf(f, a...) }

// start starts the server in upstream's own test fixture, which exists in all releases.
func start(arguments ...string) (func(), *rest.Config, error) {
	stop, config, _, err := fixtures.StartDefaultServer(logger{}, arguments...)
	return stop, config, err
}
