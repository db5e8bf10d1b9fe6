//go:build unix

package ratestore

import (
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"catalog.example/api/server/processtest"
)

// countAtOnce sends requests of some clients to stores at the same time, and checks that
// each client gets its allowance in all.
func countAtOnce(t *testing.T, stores []*Shared) {
	t.Helper()
	const limit, clients = 20, 30
	var allowed [clients]atomic.Int64
	var group sync.WaitGroup
	for _, s := range stores {
		for range 4 {
			group.Go(func() {
				for i := range 10 * clients {
					if s.Take(t.Context(), numbered(i%clients), limit).Allowed {
						allowed[i%clients].Add(1)
					}
				}
			})
		}
	}
	group.Wait()
	for i := range allowed {
		if n := allowed[i].Load(); n != limit {
			t.Errorf("client %d was answered %d times, want %d", i, n, limit)
		}
	}
	for i, s := range stores {
		if stats := s.Stats(); stats.State != InShared || stats.LocalDecisions != 0 || stats.Errors != 0 {
			t.Errorf("replica %d: %+v", i, stats)
		}
	}
}

// The masters of a Cluster count together, for a user that may do no more than the
// documentation of --rate-store says.
func TestCluster(t *testing.T) {
	t.Parallel()
	nodes := processtest.StartCluster(t, 3)
	for _, node := range nodes {
		node.Tell(strings.Fields("ACL SETUSER catalog on >hush " + permissions + " +cluster|slots +asking")...)
	}
	url := "redis://catalog:hush@" + nodes[0].Address + "?addr=" + nodes[1].Address
	var stores []*Shared
	for range 2 {
		s, log := newShared(t, url, nil)
		await(t, "reached", reached(log))
		stores = append(stores, s)
	}
	countAtOnce(t, stores)
	for i, node := range nodes {
		if keys := node.Tell("DBSIZE"); keys == "0" {
			t.Errorf("master %d counts nothing", i)
		}
	}

	// A slot that moves to another master is followed.
	s, key := stores[0], stores[0].redis.redisKey(numbered(1000))
	s.Take(t.Context(), numbered(1000), 3)
	slot := nodes[0].Tell("CLUSTER", "KEYSLOT", key)
	var from, to *processtest.Redis
	for _, node := range nodes {
		if node.Tell("CLUSTER", "COUNTKEYSINSLOT", slot) != "0" {
			from = node
		} else {
			to = node
		}
	}
	from.Tell("CLUSTER", "SETSLOT", slot, "MIGRATING", to.Tell("CLUSTER", "MYID"))
	to.Tell("CLUSTER", "SETSLOT", slot, "IMPORTING", from.Tell("CLUSTER", "MYID"))
	host, port, _ := net.SplitHostPort(to.Address)
	from.Tell("MIGRATE", host, port, key, "0", "5000")
	if v := s.Take(t.Context(), numbered(1000), 3); !v.Allowed || v.Left != 1 {
		t.Errorf("while the slot moves: %+v", v)
	}
	for _, node := range []*processtest.Redis{to, from} {
		node.Tell("CLUSTER", "SETSLOT", slot, "NODE", to.Tell("CLUSTER", "MYID"))
	}
	if v := s.Take(t.Context(), numbered(1000), 3); !v.Allowed || v.Left != 0 {
		t.Errorf("after the slot has moved: %+v", v)
	}
	if stats := s.Stats(); stats.Falls != 0 || stats.Errors != 0 {
		t.Errorf("stats: %+v", stats)
	}

	// Without one of the masters, replicas count for themselves.
	nodes[2].Kill()
	for n := 2000; s.Stats().State == InShared; n++ {
		if v := s.Take(t.Context(), numbered(n), 2); !v.Allowed || v.Left != 1 {
			t.Fatalf("without a master: %+v", v)
		}
	}
	errors := s.Stats().Errors
	await(t, "a probe that fails", func() bool { return s.Stats().Errors > errors })
	if stats := s.Stats(); stats.State != InLocal || stats.Rejoins != 0 {
		t.Errorf("without a master: %+v", stats)
	}
}

// Sentinels say which Redis is the master, also after it has changed.
func TestSentinel(t *testing.T) {
	t.Parallel()
	const password = "masterauth hush-1"
	master := processtest.StartRedis(t, processtest.RedisOptions{Password: "hush-1", Settings: []string{password}})
	monitored := strings.Replace(master.Address, ":", " ", 1)
	replica := processtest.StartRedis(t, processtest.RedisOptions{
		Password: "hush-1", Settings: []string{password, "replicaof " + monitored},
	})
	await(t, "replicated", func() bool {
		return strings.Contains(replica.Tell("INFO", "replication"), "master_link_status:up")
	})
	sentinel := processtest.StartRedis(t, processtest.RedisOptions{
		Sentinel: true, Password: "hush-2",
		Settings: []string{"sentinel monitor one " + monitored + " 1", "sentinel auth-pass one hush-1"},
	})
	await(t, "replica known", func() bool {
		return strings.Contains(sentinel.Tell("SENTINEL", "REPLICAS", "one"), replica.Address)
	})

	nobody := "127.0.0.1:1" // another Sentinel, which is gone
	url := "redis://:hush-1@" + nobody + "/3?addr=" + sentinel.Address + "&master_name=one&sentinel_password=hush-2"
	var stores []*Shared
	for range 2 {
		s, log := newShared(t, url, nil)
		await(t, "reached", reached(log))
		stores = append(stores, s)
	}
	countAtOnce(t, stores)
	stores[0].Take(t.Context(), numbered(1000), 10)
	await(t, "replicated", func() bool {
		return master.Tell("-n", "3", "DBSIZE") == replica.Tell("-n", "3", "DBSIZE")
	})

	await(t, "failover begun", func() bool { // the Sentinel may not have heard of the replica's state yet
		_, err := sentinel.Try("SENTINEL", "FAILOVER", "one")
		return err == nil
	})
	await(t, "failed over", func() bool {
		promoted, _ := replica.Try("INFO", "replication") // an error is no answer yet
		demoted, _ := master.Try("INFO", "replication")
		return strings.Contains(promoted, "role:master") && strings.Contains(demoted, "role:slave") &&
			strings.Contains(sentinel.Tell("SENTINEL", "MASTERS"), replica.Address[len("127.0.0.1:"):])
	})
	// The old master has closed its connections, and refuses to write.
	for i, s := range stores {
		for n := range 20 {
			if v := s.Take(t.Context(), numbered(2000+20*i+n), 10); !v.Allowed || v.Left != 9 {
				t.Errorf("after the failover, request %d: %+v", n, v)
			}
		}
		await(t, "rejoined", func() bool { return s.Stats().State == InShared })
		if v := s.Take(t.Context(), numbered(1000), 10); !v.Allowed || v.Left != 8-i {
			t.Errorf("after the failover, replica %d: %+v", i, v)
		}
	}

	// A Sentinel that does not know the master is told in the log, without passwords.
	for change, want := range map[string]string{
		"master_name=one": "it knows no master named", "hush-2": "WRONGPASS",
	} {
		s, log := newShared(t, strings.Replace(url, change, change+"x", 1), nil)
		await(t, want, func() bool { return strings.Contains(log.String(), want) })
		if s.Stats().State != InLocal || strings.Contains(log.String(), "hush") {
			t.Errorf("the state is %s, and the log %s", s.Stats().State, log)
		}
	}
}
