// SPDX-License-Identifier: Apache-2.0
//
// The protocol between workers and the database, for spin: claim, attempt, settle (by either path), release, rescue, crash, late
// settlement.
// Every interleaving of two workers and four jobs is looked at, with a bounded number of faults. deploy/model runs it, and
// then each mutant: the same protocol without one guard, which has to fail.
//
// What is promised, and checked:
//   - a payment is granted at most once, an order is paid at most once;
//   - a settlement that shows a stale lease token writes nothing;
//   - when all has come to rest, every payment is granted or unclaimed, every order is fulfilled or says why it is not, an
//     honest order is never left to a person, and nobody holds a lease;
//   - all does come to rest: no run is endless.
//
// Mutants: NO_FENCE, NO_FENCE_OF_FIRST, NO_UNIQUE_KEY, SPLIT_SETTLEMENT, NO_RESCUE, NO_CHARGE, NO_BREAKER.

#define WORKERS 2
#define JOBS 4
#define ORDERS 3
#define PAYMENTS 2

// Crashes, leases that run out under a live worker, and lost answers to a commit: so many in a run.
#ifndef FAULTS
#define FAULTS 2
#endif
// Charged attempts that end a job. Above what the faults and one outage can charge an honest one with.
#define CAP (FAULTS + 2)
// Jobs that drains give back: so many in a run.
#define RELEASES 1

// Job 0 pays order 0. Job 1 shows the same payment for order 1. Job 2 pays order 0 again. Job 3 ends every worker that
// attempts it.
#define POISON 3
#define order_of(j) ((j) == 0 -> 0 : ((j) == 1 -> 1 : ((j) == 2 -> 0 : 2)))
#define payment_of(j) ((j) == 2 -> 1 : 0)

mtype = { available, running, gone, discarded, open, fulfilled, rejected, review };

mtype job[JOBS] = available;
byte token[JOBS];
byte charged[JOBS];
bool isExpired[JOBS];
bool isHeld[JOBS];
// Rows that a database transaction in flight has locked; what it wrote is seen by nobody until its commit.
bool jobIsLocked[JOBS];
bool orderIsLocked[ORDERS];
bool paymentIsLocked[PAYMENTS];

mtype order[ORDERS] = open;
byte grantsOfOrder[ORDERS];
byte grantsOfPayment[PAYMENTS];
bool isUnclaimed[PAYMENTS];

bool appleAnswers = true;
bool gateIsOpen = true;
byte faultsLeft = FAULTS;
byte releasesLeft = RELEASES;

// Jobs 0 and 2 are of one order and run one at a time (one_job_of_an_order_runs_at_a_time).
#define ownOrderIsIdle(j) !((j) == 0 && job[2] == running) && !((j) == 2 && job[0] == running)
#define isClaimable(j) (gateIsOpen && job[j] == available && !jobIsLocked[j] && ownOrderIsIdle(j))

#define leaseIsHeld(j, t) (job[j] == running && token[j] == t)
#ifdef NO_FENCE
#define holdsLease(j, t) (job[j] == available || job[j] == running)
#else
#define holdsLease(j, t) leaseIsHeld(j, t)
#endif
// The short path has a fence of its own.
#ifdef NO_FENCE_OF_FIRST
#define holdsFirstLease(j, t) (job[j] == available || job[j] == running)
#else
#define holdsFirstLease(j, t) leaseIsHeld(j, t)
#endif

#ifdef NO_UNIQUE_KEY
#define firstKeysAreFree(j) true
#else
// A payment's row stands in the way also where it was not granted.
#define firstKeysAreFree(j) \
    (grantsOfPayment[payment_of(j)] == 0 && !isUnclaimed[payment_of(j)] && grantsOfOrder[order_of(j)] == 0)
#endif

// claim_jobs.sql: one statement, one commit.
inline claim(j) {
    mine = j;
    job[j] = running;
    token[j]++;
    lease = token[j];
    isExpired[j] = false;
    isHeld[j] = true;
#ifndef NO_CHARGE
    charged[j]++;
#endif
    // No job is attempted for ever.
    assert(token[j] <= CAP + RELEASES);
}

// The process is gone, with all that it knew; the server rolls back what it had not committed.
inline crash() {
    if
    :: job[mine] == running && token[mine] == lease -> isHeld[mine] = false
    :: else
    fi;
}

inline rollBack() {
    jobIsLocked[mine] = false;
    orderIsLocked[order_of(mine)] = false;
    if
    :: won -> paymentIsLocked[payment_of(mine)] = false
    :: else
    fi;
    won = false;
}

// Of the short path, before it has locked the order.
inline rollBackFirst() {
    jobIsLocked[mine] = false;
    if
    :: won -> paymentIsLocked[payment_of(mine)] = false
    :: else
    fi;
    won = false
}

// A job that was charged for all that it may be: its order goes to a person.
inline giveBack(j) {
    isHeld[j] = false;
    isExpired[j] = false;
    if
    :: charged[j] >= CAP ->
        job[j] = discarded;
        if
        :: order[order_of(j)] == open -> order[order_of(j)] = review
        :: else
        fi
    :: else -> job[j] = available
    fi;
}

inline recordVerdict() {
    if
    :: won ->
        grantsOfPayment[payment_of(mine)]++;
        grantsOfOrder[order_of(mine)]++;
        assert(grantsOfPayment[payment_of(mine)] == 1);
        assert(grantsOfOrder[order_of(mine)] == 1);
        order[order_of(mine)] = fulfilled;
        isUnclaimed[payment_of(mine)] = false
    :: else ->
        if
        :: grantsOfPayment[payment_of(mine)] == 0 -> isUnclaimed[payment_of(mine)] = true
        :: else
        fi;
        if
        :: order[order_of(mine)] == open -> order[order_of(mine)] = rejected
        :: else
        fi
    fi;
}

proctype Worker() {
    byte mine;
    byte lease;
    bool won;
    bool saw;

    // Nothing of an earlier attempt is kept.
startOver:
    atomic { mine = 0; lease = 0; won = false; saw = false }
endClaiming:
    if
    :: atomic { isClaimable(0) -> claim(0) }
    :: atomic { isClaimable(1) -> claim(1) }
    :: atomic { isClaimable(2) -> claim(2) }
    :: atomic { isClaimable(3) -> claim(3) }
    fi;

    // The attempt. No database transaction is open.
    if
    :: atomic { mine == POISON -> crash() }; goto startOver
    :: atomic { mine != POISON && faultsLeft > 0 -> faultsLeft--; crash() }; goto startOver
    :: mine != POISON && appleAnswers -> goto settlingFirst
    :: mine != POISON && appleAnswers -> goto settlingVerdict
    :: mine != POISON && !appleAnswers -> goto settlingFailure
    :: atomic { mine != POISON && releasesLeft > 0 -> releasesLeft-- }; goto releasing
    fi;

    // grant_first_payments.sql: one statement, sent with its commit. It looks for any word of the payment in its snapshot, before
    // it has a lock ...
settlingFirst:
    if
    :: atomic { grantsOfPayment[payment_of(mine)] > 0 || isUnclaimed[payment_of(mine)] -> goto settlingVerdict }
    :: else
    fi;
    // ... then come the fence, the unique keys and the order's row. It waits for a lock for a moment only. If one of these fails,
    // nothing is written, and the careful path follows.
    atomic {
        if
        :: !jobIsLocked[mine] && holdsFirstLease(mine, lease) -> jobIsLocked[mine] = true
        :: else -> goto settlingVerdict
        fi
    }
    if
    :: atomic { faultsLeft > 0 -> faultsLeft--; rollBackFirst(); crash() }; goto startOver
    :: true
    fi;
    atomic {
        if
        :: !paymentIsLocked[payment_of(mine)] && firstKeysAreFree(mine) -> won = true; paymentIsLocked[payment_of(mine)] = true
        :: else -> rollBackFirst(); goto settlingVerdict
        fi
    }
    atomic {
        if
        :: !orderIsLocked[order_of(mine)] && order[order_of(mine)] != fulfilled -> orderIsLocked[order_of(mine)] = true
        :: else -> rollBackFirst(); goto settlingVerdict
        fi
    }
    if
    :: atomic { faultsLeft > 0 -> faultsLeft--; rollBack(); crash() }; goto startOver
    :: true
    fi;
    d_step {
        assert(job[mine] == running && token[mine] == lease);
        job[mine] = gone;
        isHeld[mine] = false;
        recordVerdict();
        rollBack()
    }
    if
    // The answer got lost: sent again, it finds its own grant, and the careful path finds the lease lost.
    :: atomic { faultsLeft > 0 -> faultsLeft-- }; goto settlingFirst
    :: true
    fi;
    goto startOver;

settlingVerdict:
    // lock_settling_jobs.sql: the fence, then the order's row. A lone grant locks it in insert_grants.sql: no other job of its order
    // runs meanwhile. Who finds it locked begins anew.
    atomic {
        !jobIsLocked[mine] && !orderIsLocked[order_of(mine)];
        if
        :: holdsLease(mine, lease) ->
            jobIsLocked[mine] = true;
            orderIsLocked[order_of(mine)] = true
        :: else -> goto startOver
        fi
    }
#ifdef SPLIT_SETTLEMENT
    // The job leaves by a commit of its own.
    d_step {
        assert(job[mine] == running && token[mine] == lease);
        job[mine] = gone;
        isHeld[mine] = false
    }
#endif
    if
    :: atomic { faultsLeft > 0 -> faultsLeft--; rollBack(); crash() }; goto startOver
    :: true
    fi;
    // insert_grants.sql looks first, in its own snapshot ...
    saw = grantsOfPayment[payment_of(mine)] > 0 || grantsOfOrder[order_of(mine)] > 0;
    // ... and the unique keys decide, which wait for whoever inserted the same and has not ended yet.
#ifdef NO_UNIQUE_KEY
    won = !saw;
#else
    atomic {
        !paymentIsLocked[payment_of(mine)];
        won = !saw && grantsOfPayment[payment_of(mine)] == 0 && grantsOfOrder[order_of(mine)] == 0;
        if
        :: won -> paymentIsLocked[payment_of(mine)] = true
        :: else
        fi
    }
#endif
    if
    :: atomic { faultsLeft > 0 -> faultsLeft--; rollBack(); crash() }; goto startOver
    :: true
    fi;
    // The commit: all of it at once.
    d_step {
#ifndef SPLIT_SETTLEMENT
        assert(job[mine] == running && token[mine] == lease);
        job[mine] = gone;
        isHeld[mine] = false;
#endif
        recordVerdict();
        rollBack()
    }
    if
    // The answer to the commit got lost: the outcome is unknown, and the batch is sent again.
    :: atomic { faultsLeft > 0 -> faultsLeft-- }; goto settlingVerdict
    :: true
    fi;
    goto startOver;

settlingFailure:
    atomic {
        !jobIsLocked[mine];
        if
        :: holdsLease(mine, lease) ->
            assert(job[mine] == running && token[mine] == lease);
            giveBack(mine);
#ifndef NO_BREAKER
            gateIsOpen = false
#endif
        :: else
        fi
    }
    goto startOver;

    // A drain gives back what it didn't get to verify. It spends no attempt.
releasing:
    atomic {
        !jobIsLocked[mine];
        if
        :: holdsLease(mine, lease) ->
            assert(job[mine] == running && token[mine] == lease);
#ifndef NO_CHARGE
            charged[mine]--;
#endif
            isHeld[mine] = false;
            isExpired[mine] = false;
            job[mine] = available
        :: else
        fi
    }
    goto startOver
}

// rescue_expired_jobs.sql, by whichever worker; it skips what is locked.
proctype Rescuer() {
endRescuing:
#ifdef NO_RESCUE
    false
#else
    do
    :: atomic { job[0] == running && isExpired[0] && !jobIsLocked[0] -> giveBack(0) }
    :: atomic { job[1] == running && isExpired[1] && !jobIsLocked[1] -> giveBack(1) }
    :: atomic { job[2] == running && isExpired[2] && !jobIsLocked[2] -> giveBack(2) }
    :: atomic { job[3] == running && isExpired[3] && !jobIsLocked[3] -> giveBack(3) }
    od
#endif
}

inline expire(j) {
    isExpired[j] = true;
    if
    :: isHeld[j] -> faultsLeft--
    :: else
    fi
}

// A lease runs out because its holder died, or because its holder lives and is too slow.
proctype Time() {
endWaiting:
    do
    :: atomic { job[0] == running && !isExpired[0] && (!isHeld[0] || faultsLeft > 0) -> expire(0) }
    :: atomic { job[1] == running && !isExpired[1] && (!isHeld[1] || faultsLeft > 0) -> expire(1) }
    :: atomic { job[2] == running && !isExpired[2] && (!isHeld[2] || faultsLeft > 0) -> expire(2) }
    :: atomic { job[3] == running && !isExpired[3] && (!isHeld[3] || faultsLeft > 0) -> expire(3) }
    od
}

// One outage, at any moment and for any time; a probe opens the gate afterwards.
proctype Apple() {
    if
    :: appleAnswers = false
    :: true
    fi;
    appleAnswers = true;
endProbing:
    do
    :: atomic { appleAnswers && !gateIsOpen -> gateIsOpen = true }
    od
}

proctype Verdict() {
    byte i;
    timeout;
    d_step {
        i = 0;
        do
        :: i < JOBS -> assert(job[i] == gone || (i == POISON && job[i] == discarded)); i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < ORDERS ->
            assert(order[i] != open);
            assert((order[i] == fulfilled) == (grantsOfOrder[i] == 1));
            assert(order[i] != review || i == order_of(POISON));
            i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < PAYMENTS -> assert(grantsOfPayment[i] == 1 || isUnclaimed[i]); i++
        :: else -> break
        od
    }
}

init {
    atomic {
        run Worker();
        run Worker();
        run Rescuer();
        run Time();
        run Apple();
        run Verdict()
    }
}
