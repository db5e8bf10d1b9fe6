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

// countAtOnce is countAfterLoss with stores that have never lost Redis.
func countAtOnce(t *testing.T, stores []*Shared) {
	t.Helper()
	countAfterLoss(t, stores)
	for i, s := range stores {
		if stats := s.Stats(); stats.State != InShared || stats.LocalDecisions != 0 || stats.Errors != 0 {
			t.Errorf("replica %d: %+v", i, stats)
		}
	}
}

// countAfterLoss sends requests of some clients to stores at the same time, and checks that
// each client gets its allowance in all.
func countAfterLoss(t *testing.T, stores []*Shared) {
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
}

// The masters of a Cluster count together, for a user that may do no more than the
// documentation of --rate-store says.
func TestCluster(t *testing.T) {
	t.Parallel()
	nodes, _ := processtest.StartCluster(t, 3, false)
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

// Three masters with a replica each, over which clients ask while a master dies and its replica takes its
// place. Only the requests of that moment are counted by each server alone: what was counted before stays
// counted, and what comes after is exact.
func TestClusterFailover(t *testing.T) {
	t.Parallel()
	nodes, replicas := processtest.StartCluster(t, 3, true)
	var stores []*Shared
	for range 2 {
		s, log := newShared(t, "redis://"+nodes[0].Address+"?addr="+nodes[1].Address+"&addr="+nodes[2].Address, nil)
		await(t, "reached", reached(log))
		stores = append(stores, s)
	}
	const limit, before, idle = 20, 5, 30 // clients that ask before and after, not while the master dies
	for i := range idle {
		for range before {
			if v := stores[i%2].Take(t.Context(), numbered(1000+i), limit); !v.Allowed {
				t.Fatalf("client %d: %+v", i, v)
			}
		}
	}
	for i, r := range replicas {
		await(t, "replicated", func() bool { return r.Tell("DBSIZE") == nodes[i].Tell("DBSIZE") })
	}

	stop, busy := make(chan struct{}), sync.WaitGroup{}
	var granted [idle]atomic.Int64
	for _, s := range stores {
		busy.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				if s.Take(t.Context(), numbered(2000+n%idle), limit).Allowed {
					granted[n%idle].Add(1)
				}
			}
		})
	}
	nodes[0].Kill()
	await(t, "replica promoted", func() bool { return strings.Contains(replicas[0].Tell("INFO", "replication"), "role:master") })
	for _, s := range stores {
		await(t, "lost and rejoined", func() bool { stats := s.Stats(); return stats.State == InShared && stats.Rejoins > 0 })
	}
	close(stop)
	busy.Wait()
	for i := range idle {
		if n := granted[i].Load(); n < limit || n > int64(len(stores))*limit {
			t.Errorf("busy client %d was answered %d times, want %d to %d", i, n, limit, len(stores)*limit)
		}
		s := stores[(i+1)%2] // the server that has not answered this client
		if v := s.Take(t.Context(), numbered(1000+i), limit); !v.Allowed || v.Left != limit-before-1 {
			t.Errorf("after the failover, client %d: %+v", i, v)
		}
	}
	countAfterLoss(t, stores)
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
