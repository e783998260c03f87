// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Postgres

@Suite struct PostgresConfigurationTests {
    @Test(arguments: [
        "postgresql://app:hunter2@db.example:6432/shop?sslmode=verify-full",
        "host=db.example port=6432 user=app password=hunter2 dbname=shop sslmode=verify-full",
    ])
    func bothFormsOfConnectionStringsAreRead(url: String) throws {
        let configuration = try PostgresConfiguration(url: url)

        #expect(configuration.hosts == [ConnectionHost(name: "db.example", address: nil, port: "6432")])
        #expect(
            configuration.parameters == [
                "user": "app", "password": "hunter2", "dbname": "shop", "sslmode": "verify-full",
            ]
        )
    }

    @Test(arguments: [
        ("postgresql://app:hunter2@host:port/shop", PostgresConfigurationError.invalidValue(key: "port")),
        ("postgresql://app:pass@hunter2@host/shop", .invalidValue(key: "host")),
        ("host=a password=hunter2 port=65536", .invalidValue(key: "port")),
        ("postgresql://app:hunter2@[::1/shop", .malformed),
        ("postgresql://app:hunter2@host/shop?nonsense=1", .malformed),
        ("password=hunter2 user", .malformed),
        ("hunter2\0", .malformed),
        ("postgresql://app:hunter2@a:1,b:2,c/shop?port=1,2", .hostsDoNotMatch),
        ("host=a,b hostaddr=127.0.0.1 password=hunter2", .hostsDoNotMatch),
        ("host=a password=hunter2 target_session_attrs=best", .invalidValue(key: "target_session_attrs")),
        ("host=a password=hunter2 connect_timeout=soon", .invalidValue(key: "connect_timeout")),
    ])
    func badStringIsRefusedWithoutShowingIt(url: String, expected: PostgresConfigurationError) {
        let error = #expect(throws: PostgresConfigurationError.self) {
            try PostgresConfiguration(url: url)
        }

        #expect(error == expected)
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func severalHostsKeepTheirOrderAndPorts() throws {
        let configuration = try PostgresConfiguration(
            url: "postgresql://a:1,b:2,/shop?target_session_attrs=read-write"
        )

        #expect(
            configuration.hosts == [
                ConnectionHost(name: "a", address: nil, port: "1"),
                ConnectionHost(name: "b", address: nil, port: "2"),
                ConnectionHost(name: nil, address: nil, port: nil),
            ]
        )
        #expect(configuration.targetSessionAttributes == .readWrite)
    }

    @Test func onePortServesAllHosts() throws {
        let configuration = try PostgresConfiguration(url: "host=a,b port=7")

        #expect(configuration.hosts.map(\.port) == ["7", "7"])
    }

    @Test func folderOfASocketNeedsNoLookUp() throws {
        let configuration = try PostgresConfiguration(url: "host=/run/postgresql,@abstract,name")

        #expect(configuration.hosts.map(\.isUnixSocket) == [true, true, false])
    }

    @Test func connectTimeoutOfTheURLIsTaken() throws {
        #expect(try PostgresConfiguration(url: "connect_timeout=7").connectTimeout == .seconds(7))
        #expect(try PostgresConfiguration(url: "connect_timeout=0").connectTimeout == .seconds(5))
        #expect(try PostgresConfiguration(url: "").connectTimeout == .seconds(5))
    }

    @Test func preferenceForAStandbyTakesTwoRounds() throws {
        let configuration = try PostgresConfiguration(url: "host=a target_session_attrs=prefer-standby")

        #expect(configuration.targetSessionAttributes.rounds == [.standby, .any])
    }

    @Test func defaultsAreSentUnlessTheURLHasThem() throws {
        var configuration = try PostgresConfiguration(url: "keepalives_idle=9 application_name=mine")
        configuration.tcpUserTimeout = .milliseconds(2500)
        configuration.keepalivesCount = 0

        let parameters = configuration.commonParameters

        #expect(parameters["keepalives_idle"] == "9")
        #expect(parameters["application_name"] == "mine")
        #expect(parameters["tcp_user_timeout"] == "2500")
        #expect(parameters["keepalives_interval"] == "5")
        #expect(parameters["keepalives_count"] == nil)
        #expect(parameters["client_encoding"] == "UTF8")
        // A pooler refuses start-up options.
        #expect(parameters["options"] == nil)
    }

    @Test func descriptionHoldsNothingSecret() throws {
        let configuration = try PostgresConfiguration(url: "postgresql://app:hunter2@a:1,b/shop")

        #expect("\(configuration)" == "shop at a:1,b")
        #expect(!String(reflecting: configuration).contains("hunter2"))
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!dumped.contains("hunter2"))
    }

    @Test func otherDatabaseKeepsEverythingElse() throws {
        var configuration = try PostgresConfiguration(url: "postgresql://app:hunter2@a:1/shop")
        configuration.statementTimeout = .seconds(3)

        let other = configuration.withDatabase("other")

        #expect(other.parameters == ["user": "app", "password": "hunter2", "dbname": "other"])
        #expect(other.statementTimeout == .seconds(3))
        #expect(other.hosts == configuration.hosts)
    }
}
