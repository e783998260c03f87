// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Settings that every target of ours is compiled with; a warning is an error.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Tests wait for servers and for each other: optimizing them takes half of a build and saves a run nothing.
let testSettings = settings + [.unsafeFlags(["-Onone"])]

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let inMemoryLogging: Target.Dependency = .product(name: "InMemoryLogging", package: "swift-log")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let metricsTestKit: Target.Dependency = .product(name: "MetricsTestKit", package: "swift-metrics")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let serviceLifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let subprocess: Target.Dependency = .product(name: "Subprocess", package: "swift-subprocess")
let swiftASN1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let systemPackage: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let unixSignals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")

let package = Package(
    name: "counterfoil",
    products: [
        .executable(name: "counterfoil", targets: ["counterfoil"]),
        .executable(name: "counterfoil-dev", targets: ["counterfoil-dev"]),
        .executable(name: "counterfoil-bench", targets: ["counterfoil-bench"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // Dependencies point one way: command -> worker -> domain, command -> App Store -> domain.
        // Counts allocations, for the benchmark.
        .target(name: "CAllocationCount"),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(name: "EventSources", swiftSettings: settings),
        .target(name: "Postgres", dependencies: ["CPostgres", "EventSources", logging], swiftSettings: settings),
        .target(
            name: "Schema",
            path: "sql",
            exclude: ["README.md", "schema.sql", "docs"],
            resources: [
                .embedInCode("migrations"), .embedInCode("orders"), .embedInCode("claiming"), .embedInCode("settling"),
                .embedInCode("notifications"), .embedInCode("finding"),
                .embedInCode("payments"), .embedInCode("gates"), .embedInCode("workers"), .embedInCode("counting"),
                .embedInCode("dashboards"), .embedInCode("operator"), .embedInCode("show"), .embedInCode("migrating"),
                .embedInCode("checks"), .embedInCode("feed"), .embedInCode("roles"), .embedInCode("desk"),
                .embedInCode("gateway"), .embedInCode("webhooks"),
            ],
            swiftSettings: settings
        ),
        .target(name: "Verification", swiftSettings: settings),
        .target(
            name: "AppStore",
            dependencies: [
                "Verification", asyncHTTPClient, crypto, cryptoExtras, logging, nioCore, nioHTTP1, nioPosix, nioSSL, swiftASN1,
                x509,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "VerificationQueue",
            dependencies: ["EventSources", "Postgres", "Schema", "Verification", logging, metrics, serviceLifecycle],
            swiftSettings: settings
        ),
        .target(
            name: "Delivering",
            dependencies: ["EventSources", "Postgres", "VerificationQueue", logging, metrics, serviceLifecycle],
            resources: [.embedInCode("SQL")],
            swiftSettings: settings
        ),
        .target(
            name: "Gateway",
            dependencies: [
                "EventSources", "Postgres", "Schema", "Verification", "VerificationQueue", crypto, httpTypes, hummingbird,
                hummingbirdCore, logging, nioCore, nioHTTPTypes, nioPosix, nioSSL, serviceLifecycle,
            ],
            resources: [.embedInCode("OpenAPI")],
            swiftSettings: settings
        ),
        .target(
            name: "Webhooks",
            dependencies: [
                "AppStore", "Postgres", "Schema", "VerificationQueue", asyncHTTPClient, crypto, logging, metrics, nioCore, nioHTTP1,
                nioPosix, nioSSL, serviceLifecycle,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Observability",
            dependencies: ["EventSources", hummingbird, hummingbirdCore, logging, metrics, nioCore, serviceLifecycle],
            swiftSettings: settings
        ),
        .target(
            name: "AppStoreSimulator",
            dependencies: [
                asyncHTTPClient, crypto, cryptoExtras, logging, nioCore, nioHTTP1, nioPosix, nioSSL, serviceLifecycle, swiftASN1,
                x509,
                hummingbird, hummingbirdCore,
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
            ],
            swiftSettings: settings
        ),
        .target(name: "PrivatePostgres", dependencies: ["EventSources", logging, subprocess], swiftSettings: settings),
        .target(
            name: "Rehearsal",
            dependencies: [
                "AppStoreSimulator", "EventSources", "Gateway", "Postgres", "PrivatePostgres", "Schema", "Verification",
                "VerificationQueue", asyncHTTPClient, httpTypes, hummingbirdCore, logging, nioCore, nioHTTP1, nioPosix, nioSSL,
                serviceLifecycle, subprocess, systemPackage,
                .product(name: "HummingbirdTLS", package: "hummingbird"),
            ],
            resources: [.embedInCode("SQL")],
            swiftSettings: settings
        ),
        // A recipe for apps, which copy its file: it imports nothing.
        .target(name: "PurchaseClient", path: "deploy/recipes/client", exclude: ["README.md"], swiftSettings: settings),
        // An executable can't import another: the two programs share this.
        .target(
            name: "CommandSupport",
            dependencies: [
                "AppStore", "Observability", "Postgres", "Schema", "Verification", "VerificationQueue", "Webhooks", argumentParser,
                configuration, logging,
            ],
            swiftSettings: settings
        ),
        // The production program: nothing that forges purchases, plays them or starts a database; ProgramTests hold it to that.
        .executableTarget(
            name: "counterfoil",
            dependencies: [
                "AppStore", "CommandSupport", "Delivering", "EventSources", "Gateway", "Observability", "Postgres", "Schema", "Verification",
                "VerificationQueue", "Webhooks", argumentParser, logging, metrics, serviceLifecycle, subprocess, systemPackage,
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "counterfoil-dev",
            dependencies: [
                "AppStoreSimulator", "CommandSupport", "EventSources", "Gateway", "Postgres", "PrivatePostgres", "Rehearsal", "Schema",
                "VerificationQueue", argumentParser, asyncHTTPClient, logging, nioCore, nioHTTP1, nioSSL, serviceLifecycle,
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "counterfoil-bench",
            dependencies: [
                "AppStore", "AppStoreSimulator", "CAllocationCount", "EventSources", "Postgres", "PrivatePostgres", "Rehearsal",
                "Schema", "Verification", "VerificationQueue", argumentParser, asyncHTTPClient, crypto, logging, nioCore, nioHTTP1, nioPosix,
                nioSSL, serviceLifecycle, subprocess, unixSignals,
            ],
            exclude: ["README.md", "survives.md"],
            resources: [.embedInCode("SQL")],
            swiftSettings: settings
        ),
        .target(
            name: "TestSupport",
            dependencies: [
                "EventSources", "Postgres", "PrivatePostgres", "Rehearsal", "Verification", "VerificationQueue", logging,
            ],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        // Bytes from outside, as attackers would choose them: for the fuzzers (deploy/fuzz) and for tests.
        .target(
            name: "Fuzzing", dependencies: ["AppStore", "Verification"], path: "Tests/Fuzzing/Fuzzing",
            swiftSettings: settings
        ),
        .target(
            name: "Specimens", dependencies: ["AppStore", "AppStoreSimulator", "Fuzzing", "Verification"],
            path: "Tests/Fuzzing/Specimens", swiftSettings: settings
        ),
        .testTarget(name: "EventSourcesTests", dependencies: ["EventSources"], swiftSettings: testSettings),
        .testTarget(
            name: "PostgresTests",
            dependencies: [
                "CPostgres", "EventSources", "Postgres", "PrivatePostgres", "TestSupport", crypto, inMemoryLogging, logging,
                swiftASN1, x509,
            ],
            swiftSettings: testSettings
        ),
        // These draw hundreds of thousands of random cases.
        .testTarget(name: "VerificationTests", dependencies: ["Verification"], swiftSettings: settings),
        .testTarget(
            name: "AppStoreTests",
            dependencies: [
                "AppStore", "AppStoreSimulator", "Fuzzing", "Specimens", "TestSupport", "Verification", "VerificationQueue",
                asyncHTTPClient, crypto, cryptoExtras, inMemoryLogging, logging, nioHTTP1, nioSSL, swiftASN1, x509,
            ],
            exclude: ["Fuzzing/Corpus"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "AppStoreSimulatorTests",
            dependencies: [
                "AppStoreSimulator", "TestSupport", asyncHTTPClient, crypto, cryptoExtras, nioCore, nioHTTP1, nioSSL, swiftASN1,
                x509,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "VerificationQueueTests",
            dependencies: [
                "EventSources", "Postgres", "Schema", "TestSupport", "Verification", "VerificationQueue", logging, metrics,
                metricsTestKit,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "DeliveringTests",
            dependencies: [
                "Delivering", "EventSources", "Postgres", "PrivatePostgres", "Schema", "TestSupport", "VerificationQueue", logging,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "AppStoreSimulator", "EventSources", "Gateway", "Postgres", "Schema", "TestSupport", "VerificationQueue", asyncHTTPClient,
                httpTypes, logging, nioCore, nioHTTP1, nioPosix, nioSSL, serviceLifecycle,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "WebhooksTests",
            dependencies: [
                "AppStoreSimulator", "Delivering", "EventSources", "Postgres", "PrivatePostgres", "Rehearsal", "Schema", "TestSupport",
                "VerificationQueue", "Webhooks", crypto, logging, serviceLifecycle,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "SchemaTests",
            dependencies: [
                "EventSources", "Postgres", "PrivatePostgres", "Schema", "TestSupport", "Verification", "VerificationQueue",
                inMemoryLogging, logging, subprocess, systemPackage,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(name: "PurchaseClientTests", dependencies: ["PurchaseClient"], swiftSettings: testSettings),
        .testTarget(
            name: "RehearsalTests",
            dependencies: [
                "AppStoreSimulator", "EventSources", "Postgres", "PrivatePostgres", "Rehearsal", "TestSupport", "Verification", logging,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "CounterfoilBenchTests",
            dependencies: [
                "AppStoreSimulator", "CAllocationCount", "Postgres", "PrivatePostgres", "Rehearsal", "Schema", "TestSupport",
                "Verification", "counterfoil", "counterfoil-bench", logging, nioCore,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "ObservabilityTests",
            dependencies: [
                "Observability", "TestSupport", asyncHTTPClient, logging, metrics, nioCore, nioHTTP1, serviceLifecycle,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "CounterfoilTests",
            dependencies: [
                "AppStoreSimulator", "CommandSupport", "Observability", "Postgres", "PrivatePostgres", "PurchaseClient", "Rehearsal",
                "Schema", "TestSupport", "Verification", "VerificationQueue", "counterfoil", "counterfoil-dev", asyncHTTPClient,
                logging, nioCore, nioHTTP1, subprocess, systemPackage,
            ],
            swiftSettings: testSettings
        ),
    ]
)

// Fuzzers have no main function of their own and link with libFuzzer only, so that they are targets only when asked for.
if Context.environment["COUNTERFOIL_FUZZING"] != nil {
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzzing/CFuzzer"),
        .target(
            name: "FuzzTargets", dependencies: ["AppStore", "CFuzzer", "Fuzzing"], path: "Tests/Fuzzing/FuzzTargets",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "fuzz-seeds", dependencies: ["Fuzzing", "Specimens"], path: "Tests/Fuzzing/seeds",
            swiftSettings: settings
        ),
    ]
    for reader in ["proof-reader", "signed-transaction", "app-receipt", "apple-json"] {
        package.targets.append(
            .executableTarget(
                name: "fuzz-\(reader)", dependencies: ["FuzzTargets", "Fuzzing"], path: "Tests/Fuzzing/fuzz-\(reader)",
                swiftSettings: settings
            ))
    }
}
