// The API server of Kubernetes and its etcd in one process, for tests: nothing runs the pods that it is told of.
//
//	kubernetes -data FOLDER -etcd-port PORT -- FLAGS OF kube-apiserver
package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

const startLimit = time.Minute

func main() {
	data := flag.String("data", "", "folder of etcd's data, which may be there from an earlier start")
	port := flag.Int("etcd-port", 0, "where etcd listens, on loopback")
	version := flag.Bool("version", false, "say the version of Kubernetes")
	flag.Parse()
	server := app.NewAPIServerCommand()
	if *version {
		server.SetArgs([]string{"--version"})
		os.Exit(cli.Run(server))
	}
	client := fmt.Sprintf("http://127.0.0.1:%d", *port)
	etcd, err := startEtcd(*data, client)
	if err != nil {
		fmt.Fprintln(os.Stderr, "etcd does not start:", err)
		os.Exit(1)
	}
	server.SetArgs(append([]string{"--etcd-servers=" + client}, flag.Args()...))
	code := cli.Run(server)
	etcd.Close()
	os.Exit(code)
}

func startEtcd(folder, client string) (*embed.Etcd, error) {
	own := embed.NewConfig()
	own.Dir = folder
	own.LogLevel = "error"
	// what is written outlives the process, as far as the machine does
	own.UnsafeNoFsync = true
	clients, err := url.Parse(client)
	if err != nil {
		return nil, err
	}
	// a member on its own is never called by others
	peers := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	own.ListenClientUrls, own.AdvertiseClientUrls = []url.URL{*clients}, []url.URL{*clients}
	own.ListenPeerUrls, own.AdvertisePeerUrls = []url.URL{peers}, []url.URL{peers}
	own.InitialCluster = strings.Join([]string{own.Name, peers.String()}, "=")
	etcd, err := embed.StartEtcd(own)
	if err != nil {
		return nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case err := <-etcd.Err():
		return nil, err
	case <-time.After(startLimit):
		etcd.Close()
		return nil, fmt.Errorf("not ready within %s", startLimit)
	}
}
