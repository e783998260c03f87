// SPDX-License-Identifier: Apache-2.0

/// Bodies of both of Apple's services, in their shapes but about nobody.
enum AppleAnswers {
    static let all: [(name: String, body: String)] = [
        ("receipt", receipt), ("subscription", subscription), ("status", #"{"status":21003}"#),
        ("elsewhere", #"{"status":21007}"#), ("empty", #"{"status":0,"receipt":{"bundle_id":"a","in_app":[]}}"#),
        ("retryable", #"{"status":21104,"is_retryable":1,"is-retryable":false,"environment":"Production"}"#),
        ("error", #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#),
        ("refusal", #"{"errorCode":4000006,"errorMessage":"Invalid transaction id."}"#),
        ("trouble", #"{"errorCode":5000001,"errorMessage":"An unknown error occurred. Please try again."}"#),
        ("info", #"{"signedTransactionInfo":"eyJhbGciOiJFUzI1NiJ9.e30.AA"}"#),
        ("history", #"{"revision":"1_2","hasMore":true,"signedTransactions":["a.b.c"],"environment":"Sandbox"}"#),
        ("secret", #"{"status":21004}"#), ("secret-of-another-app", #"{"status":21004,"receipt":{"bundle_id":"b"}}"#),
        ("unauthorized", "Unauthenticated\n"), ("not-in-sandbox", #"{"errorCode":4040002,"errorMessage":"Account not found."}"#),
        ("transaction-without-a-field", #"{"signedTransactionInfo":"eyJhbGciOiJFUzI1NiJ9.eyJ0cmFuc2FjdGlvbklkIjoiMSJ9.AA"}"#),
        ("page", "<html><body>Service Unavailable</body></html>"),
        ("numbers", #"{"status":0.0,"quantity":1e2,"purchaseDate":1697679936049.7297,"transactionId":"1","a":-0}"#),
        ("escapes", #"{"transactionId":"\u0031\ud83d\ude00\n","productId":"\\\"\/","bundleId":"\u0000"}"#),
    ]

    private static let purchase = #"""
        {"quantity":"1","product_id":"coins","transaction_id":"430000000000001","original_transaction_id":\#
        "430000000000001","purchase_date":"2026-01-31 09:30:00 Etc/GMT","purchase_date_ms":"1769851800000",\#
        "original_purchase_date_ms":"1769851800000","is_trial_period":"false","in_app_ownership_type":"PURCHASED"}
        """#

    private static let receipt = #"""
        {"status":0,"environment":"Production","receipt":{"receipt_type":"Production","bundle_id":"com.example.app",\#
        "adam_id":1,"download_id":null,"request_date_ms":"1769851800000","in_app":[\#(purchase)]}}
        """#

    private static let subscription = #"""
        {"status":0,"environment":"Sandbox","receipt":{"bundle_id":"com.example.app","in_app":[\#(purchase)]},\#
        "latest_receipt_info":[{"quantity":"1","product_id":"gold","transaction_id":"430000000000002",\#
        "web_order_line_item_id":"480000000000002","purchase_date_ms":"1769851800000","expires_date_ms":\#
        "1772530200000","cancellation_date_ms":"1769938200000","cancellation_reason":"0",\#
        "app_account_token":"7e3fb8b4-1e1b-4a71-9c4b-5a2d9b0e9c11"}],"latest_receipt":"MIIT",\#
        "pending_renewal_info":[{"auto_renew_status":"1","product_id":"gold"}]}
        """#
}
