module github.com/postmesh/postmesh/sdks/go

go 1.25
