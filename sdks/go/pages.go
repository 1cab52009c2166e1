package postmesh

import (
	"errors"
	"iter"
)

// pages walks a list whose next page begins after *after.
func pages[T any](after *string, page func() (items []T, hasMore bool, next string, err error)) iter.Seq2[T, error] {
	first := *after
	return func(yield func(T, error) bool) {
		var none T
		for *after = first; ; {
			items, hasMore, next, err := page()
			if err != nil {
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if !hasMore {
				return
			}
			if next == *after {
				yield(none, errors.New("postmesh: the next page is the same"))
				return
			}
			*after = next
		}
	}
}
