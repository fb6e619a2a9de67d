/* SPDX-License-Identifier: MIT
 *
 * Names and texts with secrets as services really write them, none of them anybody's; and harmless ones.
 * SECRET is what must not be left of it. tests/cli/redact.bats has the rows from here too, so a row is one
 * line. Each secret is in two pieces, so that no scanner takes it for one of its own.
 */
#ifndef CORDON_TESTS_TOKENS_H
#define CORDON_TESTS_TOKENS_H

static const struct {
	const char *text, *secret;
} tokens[] = {
	{"https://hooks.slack.com/services/T03K8"
	 "L2QX/B05N7M1PZ/q8Zr2VtYw4XsLk9BnM3cJd7F",
	 "q8Zr2VtYw4XsLk9BnM3cJd7F"},
	{"https://discord.com/api/webhooks/1098765432109876543/Zk3v_9QpL"
	 "xT7-bYw2NcR8sHd5MgJ1aKf6UeVo4Xi0",
	 "bYw2NcR8sHd5MgJ1aKf6UeVo4Xi0"},
	{"https://discordapp.com/api/webhooks/109876/abcdefghijklmnop"
	 "qrstuvwxyz",
	 "qrstuvwxyz"},
	{"https://example.webhook.office.com/webhookb2/3f2a9c1e-77d4-4b0a-9e55"
	 "-1c2d3e4f5a6b@x/IncomingWebhook/0a1b2c3d",
	 "3f2a9c1e"},
	{"https://chat.googleapis.com/v1/spaces/AAAAx1y2z3/messages?key=AIzaSyD-9tSr"
	 "ke72PouQMnMX-a7eZSW0jkFMBWY&token=x",
	 "AIzaSyD"},
	{"https://api.telegram.org/bot5839201746:AAHk3vQp9LxT7bYw2NcR8"
	 "sHd5MgJ1aKf6Ue/sendMessage",
	 "AAHk3vQp9LxT7bYw2NcR8"},
	{"bot token 5839201746:AAHk3vQp9LxT7bYw2"
	 "NcR8sHd5MgJ1aKf6Ue",
	 "AAHk3vQp9LxT7bYw2"},
	{"https://open.feishu.cn/open-apis/bot/v2/hook/9c1e77d4-4b0a-9e55"
	 "-1c2d-3e4f5a6b7c8d",
	 "9c1e77d4"},
	{"https://mattermost.example.org/hooks/xj4o7kq9ztbn8"
	 "rwp3dm5ghcu6y",
	 "xj4o7kq9ztbn8"},
	{"id AKIA2E0A8F3B244"
	 "C9986 was used",
	 "AKIA2E0A8F3B244"},
	{"ASIA2E0A8F3B244"
	 "C9986",
	 "ASIA2E0A8F3B244"},
	{"wJalrXUtnFEMI/K7MD"
	 "ENG/bPxRfiCYEXAMPLEKEY",
	 "bPxRfiCY"},
	{"aws_secret_access_key = wJalrXUtnFEMI/K7MD"
	 "ENG/bPxRfiCYEXAMPLEKEY",
	 "wJalr"},
	{"https://bucket.s3.amazonaws.com/"
	 "a.csv?X-Amz-Credential=AKIA2E0A%2F20240501&X-Amz-Signature=fe5f80f77d5f"
	 "a3beca038a248ff027d0445342fe2855ddc963176630326f1024",
	 "fe5f80f77d5f"},
	{"https://acct.blob.core.windows.net/c/b.txt?sv=2022-11-02&sig=Ab3%2FdE9xYz"
	 "1Qw7Rt5Up%3D&se=2024",
	 "Ab3"},
	{"DefaultEndpointsProtocol=https;AccountName=n;AccountKey="
	 "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2"
	 "UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
	 "Eby8vdM02"},
	{"https://storage.googleapis.com/b/"
	 "o.txt?GoogleAccessId=a@b.iam&Expires=1&Signature=NOWc0cGVnZ"
	 "lH9uyX",
	 "NOWc0cGVnZ"},
	{"https://storage.googleapis.com/b/o.txt?X-Goog-Signature=247a2aa4"
	 "5f169edf4d187d54e7cc46e4731b1e6273242c4f4c39a1d2507a0e58",
	 "247a2aa4"},
	{"AIzaSyD-9tSrke72Pou"
	 "QMnMX-a7eZSW0jkFMBWY",
	 "tSrke72Pou"},
	{"GOCSPX-1mVwFTjGIX"
	 "gs2BC2uHzksQi0HAK1",
	 "gs2BC2uHzksQi0HAK1"},
	{"ya29.a0AfB_byC1x2y3z4"
	 "w5v6u7t8s9r0",
	 "w5v6u7t8s9r0"},
	{"sk-proj-Zk3v9QpLxT7bYw2NcR8"
	 "sHd5MgJ1aKf6UeVo4Xi0T3BlbkFJ",
	 "Zk3v9QpLxT7bYw2NcR8"},
	{"sk-ant-api03-Zk3v9QpL_xT7bYw2NcR8"
	 "sHd5MgJ1aKf6UeVo4Xi0-AA",
	 "xT7bYw2NcR8"},
	{"hf_ZkvQpLxTbYwNcRs"
	 "HdMgJaKfUeVoXiTbl",
	 "ZkvQpLxTbYw"},
	{"gsk_Zk3v9QpLxT7bYw2NcR8"
	 "sHd5MgJ1aKf6UeVo4Xi0T3Blbk",
	 "Zk3v9QpLx"},
	{"r8_Zk3v9QpLxT7bYw2NcR8"
	 "sHd5MgJ1aKf6UeVo4X",
	 "Zk3v9QpLx"},
	{"https://api.example.org/v1?key=hunter"
	 "2",
	 "hunter2"},
	{"https://api.example.org/v1?pass=hunter"
	 "2&b=1",
	 "hunter2"},
	{"https://example.org/login#access_token=hunter"
	 "2",
	 "hunter2"},
	{"docs/readme.md?token=hunter"
	 "2",
	 "hunter2"},
	{"https://me:hunter"
	 "2@example.org/x",
	 "hunter2"},
	{"https://me:hun/ter"
	 "2@example.org/x",
	 "ter2"},
	{"postgres://me:hun/ter"
	 "2@db.example.org:5432/shop",
	 "ter2"},
	{"postgres://me:12/hunter"
	 "2@db.example.org/shop",
	 "hunter2"},
	{"mongodb://me:hunter"
	 "2@a.example:27017,b.example:27017/db",
	 "hunter2"},
	{"redis://:hunter"
	 "2@cache:6379/0",
	 "hunter2"},
	{"amqps://me:hunter"
	 "2@mq.example.org/vhost",
	 "hunter2"},
	{"jdbc:postgresql://db/shop?user=me&password=hunter"
	 "2",
	 "hunter2"},
	{"Server=db;User Id=me;Password=hunter"
	 "2;",
	 "hunter2"},
	{"host=db user=me password=hunter"
	 "2",
	 "hunter2"},
	{"https://ghp_Zk3v9QpLxT7bYw2NcR8s"
	 "Hd5MgJ1aKf6U@github.com/a/b.git",
	 "ghp_Zk3v"},
	{"https://ghp_Zk3v9QpLxT7bYw2NcR8s"
	 "Hd5MgJ1aKf6U/x@github.com",
	 "ghp_Zk3v"},
	{"ghp_Zk3v9QpLxT7bYw2NcR8s"
	 "Hd5MgJ1aKf6U",
	 "Zk3v9QpL"},
	{"github_pat_11ABCDEFG0Zk3v9QpLxT7b"
	 "_Yw2NcR8sHd5MgJ1aKf6UeVo4Xi0T3Blb",
	 "Zk3v9QpL"},
	{"glpat-Zk3v9QpLx"
	 "T7bYw2NcR8s",
	 "Zk3v9QpLx"},
	{"npm_Zk3v9QpLxT7bYw2NcR8s"
	 "Hd5MgJ1aKf6U",
	 "Zk3v9QpLx"},
	{"//registry.npmjs.org/:_authToken=npm_Zk3v9QpLxT7b"
	 "Yw2NcR8sHd5MgJ1aKf6U",
	 "Zk3v9QpLx"},
	{"pypi-AgEIcHlwaS5vcmcCJDNmMmE5"
	 "YzFlLTc3ZDQtNGIwYQ",
	 "AgEIcHlwaS5vcmc"},
	{"xoxb-210987654321-3210987654321-Zk3v9QpLx"
	 "T7bYw2NcR8sHd5M",
	 "Zk3v9QpLx"},
	{"xapp-1-A03K8L2QX-3210987654321-5b9d3f"
	 "7a1c2e4068",
	 "5b9d3f7a1c"},
	{"MTA5ODc2NTQzMjEwOTg3NjU0Mw.GxYz"
	 "12.Zk3v9QpLxT7bYw2NcR8sHd5MgJ1aKf6UeVo4Xi",
	 "MTA5ODc2"},
	{"sk_live_51Zk3v9QpLxT7b"
	 "Yw2NcR8sHd5MgJ1aKf6U",
	 "51Zk3v9"},
	{"whsec_Zk3v9QpLxT7bYw2N"
	 "cR8sHd5MgJ1aKf6U",
	 "Zk3v9QpL"},
	{"SG.Zk3v9QpLxT7bYw2NcR8sHd.5MgJ1aKf6"
	 "UeVo4Xi0T3BlbkFJq8Zr2VtYw4XsLk9BnM3c",
	 "Zk3v9QpL"},
	{"SK3f2a9c1e77d44b0a9e55"
	 "1c2d3e4f5a6b",
	 "3f2a9c1e77"},
	{"AC3f2a9c1e77d44b0a9e551c2d3e4f5a6b:9e551c2d3e4f5a6b"
	 "3f2a9c1e77d44b0a",
	 "9e551c2d3e4f"},
	{"key-3f2a9c1e77d44b0a9e55"
	 "1c2d3e4f5a6b",
	 "3f2a9c1e77"},
	{"dop_v1_3f2a9c1e77d44b0a9e551c2d3e4f5a6b"
	 "3f2a9c1e77d44b0a9e551c2d3e4f5a6b",
	 "3f2a9c1e77"},
	{"curl -u me:hunter"
	 "2 https://example.org/",
	 "hunter2"},
	{"mysql -uroot -phunter"
	 "2 shop",
	 "hunter2"},
	{"deploy --password hunter"
	 "2 now",
	 "hunter2"},
	{"[\"deploy\", \"--password\", \"hunter"
	 "2\"]",
	 "hunter2"},
	{"{\"password\": \"hunter"
	 " 2\"}",
	 "hunter 2"},
	{"X-Api-Key: hunter"
	 "2",
	 "hunter2"},
	{"Authorization: Basic bWU6aHVu"
	 "dGVyMg==",
	 "bWU6aHVu"},
	{"Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0."
	 "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
	 "SflKxwRJ"},
	{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0."
	 "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
	 "eyJhbGci"},
	{"Set-Cookie: sid=hunter"
	 "2; path=/",
	 "hunter2"},
	{"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ"
	 "AAAAAAAAABAAAAMwAAAAtzc2gtZW\n-----END OPENSSH PRIVATE KEY-----",
	 "b3BlbnNzaC1r"},
	{"token: kube:eyJhbGciOiJSUzI1NiIsImtpZCI6Ilp"
	 "rM3YifQ",
	 "eyJhbGci"},
	{"K10a1b2c3d4e5f60718293a4b5c6d7e8f9::server:9e551c2d"
	 "3e4f5a6b",
	 "9e551c2d3e4f"},
	{"heroku 3f2a9c1e-77d4-4b0a-9e55-1c2d3e4f"
	 "5a6b",
	 "1c2d3e4f5a6b"},
	{"https://example.org/%73ecret%2Dhunter"
	 "2",
	 "hunter2"},
	{"https://maps.example.org/invite/hunter"
	 "2",
	 "hunter2"},
	{"export DB_PASSWORD='hunter"
	 " 2'",
	 "hunter 2"},
	{"set password => hunter"
	 "2",
	 "hunter2"},
	{"git clone git@example.org:hunter"
	 "2/x.git",
	 "hunter2"},
	{"/tmp/run/3f2a9c1e77d44b0a9e55"
	 "1c2d3e4f5a6b/key",
	 "3f2a9c1e77"},
	{"password: hun"
	 "ter2 is it",
	 "hunter2"},
	{"PIN: 1234"
	 "5678",
	 "12345678"},
	{"{token: hun"
	 "ter2}",
	 "hunter2"},
	{"tool --password\thunter"
	 "two",
	 "huntertwo"},
};

static const char *const harmless[] = {
	"error: cannot open: 3 files are missing",
	"cordon: /home/anna/notes.md: Permission denied",
	"see: https://example.org/",
	"https://example.org/",
	"https://example.org",
	"https://docs.python.org:8443/",
	"http://[2001:db8::1]:8080/",
	"docs/how-to/upgrade-from-1.2.md",
	"src/store/store_sqlite.c",
	"/home/anna/projects/shop/README.md",
	"~/notes/2024-05-01 meeting.txt",
	"./tests/cli/audit.bats",
	"report_2024-05-01.csv",
	"IMG_20240501_123456.jpg",
	"libssl3.so.1.1",
	"python3.12/site-packages/numpy/core.py",
	"node_modules/@types/node/index.d.ts",
	"C:\\Users\\Anna\\Documents\\plan.docx",
	"useEffect.test.tsx",
	"HTMLParser, readJSON and GitHub",
	"file:///usr/share/doc/bash/README",
	"cordon: cannot create cgroup /sys/fs/cgroup/x: Permission denied",
	"update the lock file (why? it is old)",
	"connect example.org:443: refused",
	"at 12:30, for 8 hours",
	"a write by an exposed run is applied only with a ticket",
	"Straße über den Fluß, 日本語",
	"issue #12 of k8s and i18n",
	"utf8 x86 sha256 amd64 py312 v1.2.3",
	"50 % of it & more",
	"anna@example.org",
	"tool_result",
	"it can't be: \"quoted\" words",
	"",
};

#endif
