// A peer of bench nfs: go-nfs serving a file system in memory, with its handle cache.
package main

import (
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/go-git/go-billy/v5/memfs"
	nfs "github.com/willscott/go-nfs"
	"github.com/willscott/go-nfs/helpers"
)

func main() {
	size, err := strconv.Atoi(os.Args[2])
	check(err)
	fs := memfs.New()
	file, err := fs.Create("data")
	check(err)
	_, err = file.Write(make([]byte, size))
	check(err)
	check(file.Close())
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	check(err)
	handler := helpers.NewNullAuthHandler(fs)
	check(nfs.Serve(listener, helpers.NewCachingHandler(handler, 1024)))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
