-- A memory of version 6, as `axilog memory` made it before the events had the members of the Golden Ticket.
PRAGMA application_id = 1096305969;
PRAGMA user_version = 6;
BEGIN;
CREATE TABLE log (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    body BLOB NOT NULL,
    chain BLOB NOT NULL CHECK (length(chain) = 32)
) STRICT;
CREATE TABLE applied (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL) STRICT;
CREATE TABLE head (
    one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, chain BLOB
) STRICT;
CREATE TABLE fact (
    fact BLOB PRIMARY KEY, seq INTEGER NOT NULL REFERENCES log (seq), kind TEXT NOT NULL,
    stable_key TEXT NOT NULL, mask TEXT NOT NULL, locked INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE visible (
    audience TEXT NOT NULL, stable_key TEXT NOT NULL, fact BLOB NOT NULL REFERENCES fact (fact),
    kind TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (audience, stable_key, fact)
) STRICT, WITHOUT ROWID;
CREATE TABLE detail (
    seq INTEGER NOT NULL, handle BLOB NOT NULL, fact BLOB NOT NULL REFERENCES fact (fact),
    exact TEXT NOT NULL, guard TEXT NOT NULL, PRIMARY KEY (seq, handle)
) STRICT, WITHOUT ROWID;
CREATE TABLE pointer (
    name TEXT PRIMARY KEY, value TEXT NOT NULL, seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE learned (
    campaign TEXT NOT NULL, handle BLOB NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (campaign, handle)
) STRICT, WITHOUT ROWID;
CREATE TABLE unlocked (
    handle BLOB NOT NULL, scope TEXT NOT NULL, campaign TEXT NOT NULL, began INTEGER NOT NULL,
    seq INTEGER NOT NULL, PRIMARY KEY (handle, scope, campaign, began)
) STRICT, WITHOUT ROWID;
CREATE TABLE attempt (
    handle BLOB NOT NULL, campaign TEXT NOT NULL, scene TEXT NOT NULL, seq INTEGER NOT NULL,
    PRIMARY KEY (handle, campaign, scene)
) STRICT, WITHOUT ROWID;
CREATE TABLE consent (
    request TEXT PRIMARY KEY, player TEXT NOT NULL, content BLOB NOT NULL, state TEXT NOT NULL,
    campaign TEXT NOT NULL, session INTEGER NOT NULL, scene INTEGER, seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE guess (
    campaign TEXT NOT NULL, session INTEGER NOT NULL, scene TEXT NOT NULL, guesses INTEGER NOT NULL,
    seq INTEGER NOT NULL, PRIMARY KEY (campaign, session, scene)
) STRICT, WITHOUT ROWID;
CREATE TABLE compaction (
    purpose TEXT NOT NULL, compaction BLOB NOT NULL, output BLOB NOT NULL,
    seq INTEGER NOT NULL REFERENCES log (seq), PRIMARY KEY (purpose, compaction)
) STRICT, WITHOUT ROWID;
CREATE TABLE pin (
    name TEXT PRIMARY KEY, value TEXT NOT NULL, document BLOB, seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE used_name (name TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE asset (
    handle BLOB PRIMARY KEY, stage TEXT NOT NULL, previous BLOB REFERENCES asset (handle),
    seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE table_digest (name TEXT PRIMARY KEY, digest BLOB NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO log VALUES (1, 'STATE', CAST('{"campaign_id":"c1","session_id":"s1","world_id":"arden"}' AS BLOB), x'20d4bfb2823ea834bc3b0964300a358d2660fe865c86a9831c4086cef7912724');
INSERT INTO log VALUES (2, 'PIN', CAST('{"document":{"NARRATION":["PUBLIC","PLAYER"],"PROMPT":["PUBLIC","PLAYER"],"PVIB":["PUBLIC","PLAYER"],"RECAP":["PUBLIC","PLAYER"],"WORKING_SET":["PUBLIC","PLAYER"]},"name":"mask_matrix","value":"db88f2e522dfdf0aa42d35d5ed99c6e383d2648fdb2f3a63ef5f9a29ccb35264"}' AS BLOB), x'18bfaeaef09b1e31d4acc74e811412b4329d0eef2d5c1af228b6e8d3cdc20cdc');
INSERT INTO log VALUES (3, 'PIN', CAST('{"name":"budget_policy","value":"ca0dc8f72e9935ac37d0e6aebcd3de6ba238d7834ad0297486660f962e71fa4e"}' AS BLOB), x'91872f4795fe9de5edc184af429c44a5d46ac4d16210f9459acd904801c5155c');
INSERT INTO log VALUES (4, 'PIN', CAST('{"name":"canonical_json_profile","value":"rfc8785-integers-nfc/1"}' AS BLOB), x'f51874091306ce63370e240ff397a4eb34124ff203a65b1464098b3373c50250');
INSERT INTO log VALUES (5, 'PIN', CAST('{"name":"compaction_policy","value":"f9603bb1ae6d62aee53d68215f16a05c5e1489acde40177ce0e3c131e5757867"}' AS BLOB), x'bf8cfebfc6330aa7a20dde311300e286c36929e3d1c428334f2b572342401aa8');
INSERT INTO log VALUES (6, 'PIN', CAST('{"name":"hash","value":"sha256-lower-hex"}' AS BLOB), x'9b0de00586573f12f820af4a6d409532f1e5b7a8e325ae24a03816434980ad51');
INSERT INTO log VALUES (7, 'PIN', CAST('{"name":"ordering_policy","value":"f7823c617aaadbfa6813d73add7573c4023c3a790f70271b781cfe937a60e2dd"}' AS BLOB), x'b17ac96f88381806eeb18873c43b761ce72036d53d494dcc9fc318abb147ef5d');
INSERT INTO log VALUES (8, 'PIN', CAST('{"name":"pvib_schema","value":"a197c648c1124576db0cace3423ef2842ed0e0d12bedd1bc43acf3f380c8bf63"}' AS BLOB), x'ca09144d26a71783882ae19d512e46a537f8daaef7bc8ec441eb462addbbb874');
INSERT INTO log VALUES (9, 'PIN', CAST('{"name":"truncation_policy","value":"e1be21886667e4e32e5262238d097d55010d0cb8c0384710170cec4c74a7a00f"}' AS BLOB), x'1b60273f4126476fd20de7e1a809feb174ea09d9bacd86cc13f0bb834b93a06b');
INSERT INTO log VALUES (10, 'PIN', CAST('{"name":"guesses_per_scene","value":"64"}' AS BLOB), x'd0a4e9f4e630d6b2fcae67431be5245ff821cf58b4269ccab5f2f780dbfb0753');
INSERT INTO log VALUES (11, 'PIN', CAST('{"name":"llm","value":"model-1"}' AS BLOB), x'0f6ccf6a5a586d2e35d5901b61aab6756e4857d893932ef2b62fa82407e72d74');
INSERT INTO log VALUES (12, 'FACT', CAST('{"details":[{"exact":"4711","name":"code"}],"gist":"There is a code to the cellar door.","kind":"CLUE","payload":{"text":"The door code is 4711."},"precision_tag":"LOCKED","provenance":{"refs":["spec-1"],"source":"generator"},"stable_key":"a-door","visibility_mask":"PUBLIC"}' AS BLOB), x'eff157077ba362c6843b061b6781b30ee22b873636822fa36971ab05a25332d2');
INSERT INTO log VALUES (13, 'FACT', CAST('{"kind":"LOCATION","payload":{"text":"An inn by the river, room 4711."},"precision_tag":"UNLOCKED","provenance":{"refs":[],"source":"generator"},"stable_key":"b-inn","visibility_mask":"PUBLIC"}' AS BLOB), x'467c0088da18fa16bb955ec773416f090d7d03ffdd712c6d470ffac694ec6779');
INSERT INTO log VALUES (14, 'FACT', CAST('{"details":[{"exact":"ruby mark 519","name":"mark"}],"gist":"The ring bears a mark.","kind":"CLUE","payload":{"text":"The ring bears ruby mark 519."},"precision_tag":"LOCKED","provenance":{"refs":[],"source":"generator"},"stable_key":"c-ring","visibility_mask":{"PLAYER":["ana"]}}' AS BLOB), x'48a9c121f0207138337776af12ba3478787959de5ebae0cd0b97d32914ea44c2');
INSERT INTO log VALUES (15, 'FACT', CAST('{"details":[{"exact":"dead since Frostfall","name":"plot"}],"gist":"Something happened to the duke.","kind":"WORLD_RULE","payload":{"text":"The duke is dead since Frostfall."},"precision_tag":"LOCKED","provenance":{"refs":["r.1"],"source":"rulebook"},"stable_key":"d-plot","visibility_mask":"DM_ONLY"}' AS BLOB), x'fc6c766034e0169725aa24d6d69a61cd16474e6b2019ba27803a068e1f5f4cdb');
INSERT INTO log VALUES (16, 'EV-030', CAST('{"mode":"COMPANION"}' AS BLOB), x'e73eb6d3285074312a072301806c92a5b926474be507707376c258bf8c93d49e');
INSERT INTO log VALUES (17, 'EV-020', CAST('{"setting":"page-4"}' AS BLOB), x'4fbdd212dad655f7b49b2f8940a3893b157589db4129dca35840282b7355bab8');
INSERT INTO log VALUES (18, 'STATE', CAST('{"clocks":["flood"],"regions":["north"],"threads":["miller"]}' AS BLOB), x'f45118ff07482267ef5417873dd1cddef6a9720dede64cdb9883afa3eb51245c');
INSERT INTO log VALUES (19, 'COMPACTION', CAST('{"compaction_policy_id":"f9603bb1ae6d62aee53d68215f16a05c5e1489acde40177ce0e3c131e5757867","input_handles":["ecdac7cc3df7ee8b4b987336488c1ebf396a270941eb3ad5fb62861a9c8fe581","3df6f160941039589f6fbc681265d55dec394974af15b7e4dd70fdaff47601fa"],"purpose":"RECAP"}' AS BLOB), x'43f3811442f7edb369e3ac7deba9d11f73c4db65d918fe367607f4a21f3a3992');
INSERT INTO log VALUES (20, 'EV-031', CAST('{"scene_id":"cellar"}' AS BLOB), x'dc8d348e793064ad844cf14c7f3beb1f0a40dc7141b340b77d189353e4308d8e');
INSERT INTO log VALUES (21, 'SHOWN', CAST('{"audience":{"class":"RECAP","viewers":["ana"]},"bytes_hash":"2e22558d0c73205bd42cde04547ace49de7c4b91a1e365f4a099cb3da5acba59","kind":"WORKING_SET","query":{"budget":8000,"kinds":[],"purposes":["RECAP"]},"working_set_id":"2e22558d0c73205bd42cde04547ace49de7c4b91a1e365f4a099cb3da5acba59"}' AS BLOB), x'8f7585cf70aeb937f732c08cb345ef68eb00da6165763a4b681c913d938aa003');
INSERT INTO log VALUES (22, 'GUESS', CAST('{"guesses":1,"output":"PROMPT","scene_id":"cellar"}' AS BLOB), x'cf40314e45d572400e18a93620f840687fe83a41be827b81cd899af4a3e6394a');
INSERT INTO log VALUES (23, 'SHOWN', CAST('{"audience":{"class":"PROMPT","viewers":["ana"]},"bytes_hash":"f11e547200032c564939047c9d86981070d7809fb3dbe62793cf52f98d87ef09","kind":"PROMPT","query":{"budget":8000,"kinds":[],"purposes":[]},"text":"Is it [locked]?","working_set_id":"cf0940d0b937ebff1a392e131fd2774219644fe1e9468c63f97dcd3e9136abb0"}' AS BLOB), x'bfa595c70e25798dc89f525128110b6a954666ac74f93a812475474b2e3fe604');
INSERT INTO log VALUES (24, 'EV-033', CAST('{"nudge_id":"listen"}' AS BLOB), x'2881093dace6887d66ff184c2cac392881e6b68e39e381e3ab3297078316a326');
INSERT INTO log VALUES (25, 'EV-034', CAST('{"nudge_id":"wait","rule_ref":"r.1"}' AS BLOB), x'b794d4322257ce043702098e64f4895c0712b1bfd81b0ff8e9c73610b8170d8c');
INSERT INTO log VALUES (26, 'EV-107', CAST('{"playback_id":"p1"}' AS BLOB), x'8278448aa67686eadcf74b42206a6e94191f018c268db146672edf5b8a5573e4');
INSERT INTO log VALUES (27, 'EV-108', CAST('{"playback_id":"p1"}' AS BLOB), x'a3d273a8717eb2cfad31f3bbd7f173be0a07acd182326af2458a0c8e3f1bb6d9');
INSERT INTO log VALUES (28, 'EV-109', CAST('{"playback_id":"p1"}' AS BLOB), x'cb0b947b816e82d0b489f67d43ffb03b916854accde6e6c6c24413505cc2178f');
INSERT INTO log VALUES (29, 'EV-120', CAST('{"outcome":"VALID","playback_id":"p1"}' AS BLOB), x'0aef9d64d98efe8dc48bf618b29385202942df85a9cb990e6202525ed7438566');
INSERT INTO log VALUES (30, 'EV-120', CAST('{"outcome":"INVALID","playback_id":"p2"}' AS BLOB), x'b63e98b1c19b100e5d5dbfcaaa203b79259b689fabccf7c97f7547c96309cdd4');
INSERT INTO log VALUES (31, 'EV-121', CAST('{"playback_id":"p2","rule_ref":null}' AS BLOB), x'b88a33ee3f73115eedb954a18c420bcb4a599ae2ca823bdfd4038cb9f3c1ac5f');
INSERT INTO log VALUES (32, 'EV-121', CAST('{"playback_id":"p2","rule_ref":"r.1"}' AS BLOB), x'015a1894a06729d6118aafda99d5ef8ec27db1f17e2dd537918e9b176a3b749f');
INSERT INTO log VALUES (33, 'EV-001', CAST('{"detail_handle":"df247476ca5074e32cfca0c19d82ee0edc3a1d045a2a1ac5dd9195dc6da0e419","requester_id":"ana","scene_id":"cellar"}' AS BLOB), x'722cdfcc4d9e8c9ea251460cae28a08ac3da6b23f6339e29954b5cb958c610a2');
INSERT INTO log VALUES (34, 'EV-002', CAST('{"dc":null,"detail_handle":"df247476ca5074e32cfca0c19d82ee0edc3a1d045a2a1ac5dd9195dc6da0e419","outcome":"NOT_ROLLED","roll":null,"roller_id":null,"skill_id":null}' AS BLOB), x'6ef6ab4ed5a742a2c2f5f51476a1ba90e4c1f15b11b2b7dd220b9d46b26870df');
INSERT INTO log VALUES (35, 'EV-003', CAST('{"detail_handle":"df247476ca5074e32cfca0c19d82ee0edc3a1d045a2a1ac5dd9195dc6da0e419","outcome":"FUZZY","payload_handle":"ecdac7cc3df7ee8b4b987336488c1ebf396a270941eb3ad5fb62861a9c8fe581","unlock_scope":null}' AS BLOB), x'cff9bd1fbe13cc090bb931881c8091401891cb8e392c5c4a59681564a44e9799');
INSERT INTO log VALUES (36, 'EV-001', CAST('{"detail_handle":"df247476ca5074e32cfca0c19d82ee0edc3a1d045a2a1ac5dd9195dc6da0e419","requester_id":"ben","scene_id":"cellar"}' AS BLOB), x'a4f8b8dd4d6afdd22ccae94c2debbad0b9dafcbf0f6f169512aa91db5a58531a');
INSERT INTO log VALUES (37, 'EV-002', CAST('{"dc":12,"detail_handle":"df247476ca5074e32cfca0c19d82ee0edc3a1d045a2a1ac5dd9195dc6da0e419","outcome":"SUCCESS","roll":17,"roller_id":"ben","skill_id":"lore"}' AS BLOB), x'400e972c72eb0c019a9c15c2e5b12103b8126f7558e5755cedadd84b7aed5b18');
INSERT INTO log VALUES (38, 'EV-003', CAST('{"detail_handle":"df247476ca5074e32cfca0c19d82ee0edc3a1d045a2a1ac5dd9195dc6da0e419","outcome":"EXACT","payload_handle":"ecdac7cc3df7ee8b4b987336488c1ebf396a270941eb3ad5fb62861a9c8fe581","unlock_scope":"SCENE"}' AS BLOB), x'afd26431f231d2a02f60073cecc5a7e37da01d7d25be9d678032132f086dae34');
INSERT INTO log VALUES (39, 'EV-001', CAST('{"detail_handle":"42d74e1fb57ba824d08b8b4bcd9c1a815d5cfbf85753ac871e4fd6941ceecc52","requester_id":"ana","scene_id":"cellar"}' AS BLOB), x'8edfadddcf4e92fad46e6ac69ca3aecbcddec390c75b91821fc446d779960b7f');
INSERT INTO log VALUES (40, 'EV-002', CAST('{"dc":12,"detail_handle":"42d74e1fb57ba824d08b8b4bcd9c1a815d5cfbf85753ac871e4fd6941ceecc52","outcome":"FAILURE","roll":3,"roller_id":"ana","skill_id":"lore"}' AS BLOB), x'bae9145d7282ff85d9ef86acecfcc1dbfedbbdc5bb55a0539cd5a27b5968659a');
INSERT INTO log VALUES (41, 'EV-003', CAST('{"detail_handle":"42d74e1fb57ba824d08b8b4bcd9c1a815d5cfbf85753ac871e4fd6941ceecc52","outcome":"FUZZY","payload_handle":"51be0e47b14324f444356343660e714db0404a07f6f25e4a4c0a0acbdae05993","unlock_scope":null}' AS BLOB), x'3309a89670ed348f077c85f091ffab7907d73271e443d5fd13d46028d7fbac44');
INSERT INTO log VALUES (42, 'SHOWN', CAST('{"audience":{"class":"WORKING_SET","viewers":["ana","ben"]},"bytes_hash":"86951b306df3e3507e43b19987bea43c1e94779ea6a9f2fbb02d5d02544ff4ad","kind":"WORKING_SET","query":{"budget":8000,"kinds":[],"purposes":[]},"working_set_id":"86951b306df3e3507e43b19987bea43c1e94779ea6a9f2fbb02d5d02544ff4ad"}' AS BLOB), x'7d1027ce0ae9350bef0a3eca39f57b794e70c8c6e69a5795904e99c6c5e0676f');
INSERT INTO log VALUES (43, 'SHOWN', CAST('{"audience":{"class":"PVIB","viewers":["ana"]},"bytes_hash":"efabd718b9ea9bc8275fa071385bffadd25c2a19805f1f986f28dcb52cbb03cf","handles":["df247476ca5074e32cfca0c19d82ee0edc3a1d045a2a1ac5dd9195dc6da0e419","3df6f160941039589f6fbc681265d55dec394974af15b7e4dd70fdaff47601fa"],"kind":"PVIB","query":{"budget":8000,"kinds":[],"purposes":[]},"working_set_id":"4d0d01aaae354127ffaeaa8e6ac416fce0fa789be6acb65f72469bf8836ea1dc"}' AS BLOB), x'043068e2405f1cf9f38033dbb33d418ccd39ba409d0d658c6f1fe3c66a6b74ff');
INSERT INTO log VALUES (44, 'SHOWN', CAST('{"audience":{"class":"NARRATION","viewers":["ana"]},"bytes_hash":"827c72affa22b0ec47928e984ce6725cd8c290d96c0c501aabb6719e17acfdc5","kind":"NARRATION","text":"Rain falls on the cellar.","working_set_id":null}' AS BLOB), x'dbdc2310a3fc2983d1d78c084d142fe836ef792b4be6d0254bfeee8822a280e0');
INSERT INTO log VALUES (45, 'EV-010', CAST('{"content_handles":["df247476ca5074e32cfca0c19d82ee0edc3a1d045a2a1ac5dd9195dc6da0e419"],"content_hash":"f8408ff3429af9d25321437077ce6150f83b9831bb765afc1a97e7293c697ec2","player_id":"ana","request_id":"r1","requester_id":"table","revealed_by_dm":false,"scene_id":"cellar","scope":"SCENE","session_id":"s1"}' AS BLOB), x'0700d9aecb5b2e6a3d975358a1872364a4c7fc3b59ab01e1ad9478e6f470cf08');
INSERT INTO log VALUES (46, 'EV-011', CAST('{"content_hash":"f8408ff3429af9d25321437077ce6150f83b9831bb765afc1a97e7293c697ec2","player_id":"ana","request_id":"r1"}' AS BLOB), x'aab1054f099cf6b7ea286703b07dc7c43d3b29955a5421e21a82a78d2c125815');
INSERT INTO log VALUES (47, 'EV-013', CAST('{"content_handles":["df247476ca5074e32cfca0c19d82ee0edc3a1d045a2a1ac5dd9195dc6da0e419"],"request_id":"r1"}' AS BLOB), x'1d6adbae044fcaad6f88b41d7377d24ac75e753f7e4969bbacc5e0df749aa472');
INSERT INTO log VALUES (48, 'ASSET', CAST('{"document":{"style":"ink"},"stage":"REQUEST_SPEC"}' AS BLOB), x'97fa45ec1592097c598e428d735e7298845ddf5cd5f257088a0dd1538901b876');
INSERT INTO log VALUES (49, 'EV-032', CAST('{"scene_id":"cellar"}' AS BLOB), x'6e9a0e96b486c1688a5cbec345d1a48d49d45cef42409817787c8c50b0513515');
INSERT INTO log VALUES (50, 'EV-030', CAST('{"mode":"NOTEBOOK"}' AS BLOB), x'3acc4d29817bd7d1e566f63aa65967860946c32a85e4ee95a48ab5a4897e67a0');
INSERT INTO log VALUES (51, 'STATE', CAST('{"session_id":"s2"}' AS BLOB), x'f02264de6b560289cf2bd37bd3f96ee9a8e6db3fc918484010db5fb707f99ca9');
INSERT INTO log VALUES (52, 'REVISION', CAST('{"from":"model-1","name":"llm","reason":"better","to":"model-2"}' AS BLOB), x'1dbc89434aef9ef3cc359a8327307beec38b05b99bee18e1a07eb789b1cb81ec');
INSERT INTO log VALUES (53, 'SHOWN', CAST('{"audience":{"class":"WORKING_SET","viewers":["ana"]},"bytes_hash":"f60aebe80a59c562629939c29eb118af59fe647a611fafd83513cd571d0211de","kind":"WORKING_SET","query":{"budget":8000,"kinds":[],"purposes":[]},"working_set_id":"f60aebe80a59c562629939c29eb118af59fe647a611fafd83513cd571d0211de"}' AS BLOB), x'f1414098de1274a5887f319da9697197382390b0e73300557ca3fca7e2d16644');
INSERT INTO log VALUES (54, 'SHOWN', CAST('{"audience":{"class":"PROMPT","viewers":["ana"]},"bytes_hash":"e0e40268f376278120124295a13783e4b476f3eca891a1fc3b045886f158dcf1","kind":"PROMPT","query":{"budget":8000,"kinds":[],"purposes":[]},"text":"Where is the inn?","working_set_id":"ccc3fab8166313d8e8658f979fbb61d9ae6912953f0b016aeda5a1669cbc8c19"}' AS BLOB), x'725e3366392197d1eadfe7813fa41d22e4c01b09fbe3d25da3ad8a8e65b531e5');
INSERT INTO applied VALUES (1, 54);
INSERT INTO head VALUES (1, 54, x'725e3366392197d1eadfe7813fa41d22e4c01b09fbe3d25da3ad8a8e65b531e5');
INSERT INTO fact VALUES (x'2e0b9afd690da957d01f28992626a4d0e9c106af30dee03225fae85400dd9f75', 15, 'WORLD_RULE', 'd-plot', 'DM_ONLY', 1);
INSERT INTO fact VALUES (x'3df6f160941039589f6fbc681265d55dec394974af15b7e4dd70fdaff47601fa', 13, 'LOCATION', 'b-inn', 'PUBLIC', 0);
INSERT INTO fact VALUES (x'51be0e47b14324f444356343660e714db0404a07f6f25e4a4c0a0acbdae05993', 14, 'CLUE', 'c-ring', 'PLAYER', 1);
INSERT INTO fact VALUES (x'ecdac7cc3df7ee8b4b987336488c1ebf396a270941eb3ad5fb62861a9c8fe581', 12, 'CLUE', 'a-door', 'PUBLIC', 1);
INSERT INTO visible VALUES ('DM_ONLY', 'd-plot', x'2e0b9afd690da957d01f28992626a4d0e9c106af30dee03225fae85400dd9f75', 'WORLD_RULE', 15);
INSERT INTO visible VALUES ('PLAYER:ana', 'c-ring', x'51be0e47b14324f444356343660e714db0404a07f6f25e4a4c0a0acbdae05993', 'CLUE', 14);
INSERT INTO visible VALUES ('PUBLIC', 'a-door', x'ecdac7cc3df7ee8b4b987336488c1ebf396a270941eb3ad5fb62861a9c8fe581', 'CLUE', 12);
INSERT INTO visible VALUES ('PUBLIC', 'b-inn', x'3df6f160941039589f6fbc681265d55dec394974af15b7e4dd70fdaff47601fa', 'LOCATION', 13);
INSERT INTO detail VALUES (12, x'df247476ca5074e32cfca0c19d82ee0edc3a1d045a2a1ac5dd9195dc6da0e419', x'ecdac7cc3df7ee8b4b987336488c1ebf396a270941eb3ad5fb62861a9c8fe581', '4711', 'spelled');
INSERT INTO detail VALUES (14, x'42d74e1fb57ba824d08b8b4bcd9c1a815d5cfbf85753ac871e4fd6941ceecc52', x'51be0e47b14324f444356343660e714db0404a07f6f25e4a4c0a0acbdae05993', 'ruby mark 519', 'spelled');
INSERT INTO detail VALUES (15, x'abcc03d6eedea57cb98ce60ec4d3fe4b699abca61428feb48627b244311f2e6b', x'2e0b9afd690da957d01f28992626a4d0e9c106af30dee03225fae85400dd9f75', 'dead since Frostfall', 'spelled');
INSERT INTO pointer VALUES ('campaign_id', '"c1"', 1);
INSERT INTO pointer VALUES ('clocks', '["flood"]', 18);
INSERT INTO pointer VALUES ('mode', '"NOTEBOOK"', 50);
INSERT INTO pointer VALUES ('reading_spot', '"page-4"', 17);
INSERT INTO pointer VALUES ('regions', '["north"]', 18);
INSERT INTO pointer VALUES ('scene_id', 'null', 49);
INSERT INTO pointer VALUES ('session_id', '"s2"', 51);
INSERT INTO pointer VALUES ('threads', '["miller"]', 18);
INSERT INTO pointer VALUES ('world_id', '"arden"', 1);
INSERT INTO learned VALUES ('c1', x'df247476ca5074e32cfca0c19d82ee0edc3a1d045a2a1ac5dd9195dc6da0e419', 38);
INSERT INTO unlocked VALUES (x'df247476ca5074e32cfca0c19d82ee0edc3a1d045a2a1ac5dd9195dc6da0e419', 'CAMPAIGN', 'c1', 0, 47);
INSERT INTO unlocked VALUES (x'df247476ca5074e32cfca0c19d82ee0edc3a1d045a2a1ac5dd9195dc6da0e419', 'SCENE', 'c1', 20, 38);
INSERT INTO attempt VALUES (x'42d74e1fb57ba824d08b8b4bcd9c1a815d5cfbf85753ac871e4fd6941ceecc52', 'c1', 'cellar', 40);
INSERT INTO attempt VALUES (x'df247476ca5074e32cfca0c19d82ee0edc3a1d045a2a1ac5dd9195dc6da0e419', 'c1', 'cellar', 37);
INSERT INTO consent VALUES ('r1', 'ana', x'f8408ff3429af9d25321437077ce6150f83b9831bb765afc1a97e7293c697ec2', 'APPLIED', 'c1', 1, 20, 47);
INSERT INTO guess VALUES ('c1', 1, 'cellar', 1, 22);
INSERT INTO compaction VALUES ('RECAP', x'2cd59cd3cf4ad68951100c871089135addbdd0947b652faf9a38a39568be05cb', CAST('["There is a code to the cellar door.",{"text":"An inn by the river, room 4711."}]' AS BLOB), 19);
INSERT INTO pin VALUES ('budget_policy', 'ca0dc8f72e9935ac37d0e6aebcd3de6ba238d7834ad0297486660f962e71fa4e', NULL, 3);
INSERT INTO pin VALUES ('canonical_json_profile', 'rfc8785-integers-nfc/1', NULL, 4);
INSERT INTO pin VALUES ('compaction_policy', 'f9603bb1ae6d62aee53d68215f16a05c5e1489acde40177ce0e3c131e5757867', NULL, 5);
INSERT INTO pin VALUES ('guesses_per_scene', '64', NULL, 10);
INSERT INTO pin VALUES ('hash', 'sha256-lower-hex', NULL, 6);
INSERT INTO pin VALUES ('llm', 'model-2', NULL, 52);
INSERT INTO pin VALUES ('mask_matrix', 'db88f2e522dfdf0aa42d35d5ed99c6e383d2648fdb2f3a63ef5f9a29ccb35264', CAST('{"NARRATION":["PUBLIC","PLAYER"],"PROMPT":["PUBLIC","PLAYER"],"PVIB":["PUBLIC","PLAYER"],"RECAP":["PUBLIC","PLAYER"],"WORKING_SET":["PUBLIC","PLAYER"]}' AS BLOB), 2);
INSERT INTO pin VALUES ('ordering_policy', 'f7823c617aaadbfa6813d73add7573c4023c3a790f70271b781cfe937a60e2dd', NULL, 7);
INSERT INTO pin VALUES ('pvib_schema', 'a197c648c1124576db0cace3423ef2842ed0e0d12bedd1bc43acf3f380c8bf63', NULL, 8);
INSERT INTO pin VALUES ('truncation_policy', 'e1be21886667e4e32e5262238d097d55010d0cb8c0384710170cec4c74a7a00f', NULL, 9);
INSERT INTO used_name VALUES ('arden', 1);
INSERT INTO used_name VALUES ('budgetpollcy', 3);
INSERT INTO used_name VALUES ('canonlcaljsonproflle', 4);
INSERT INTO used_name VALUES ('cellar', 20);
INSERT INTO used_name VALUES ('cl', 1);
INSERT INTO used_name VALUES ('clue', 12);
INSERT INTO used_name VALUES ('cornpactlonpollcy', 5);
INSERT INTO used_name VALUES ('guessesperscene', 10);
INSERT INTO used_name VALUES ('hash', 6);
INSERT INTO used_name VALUES ('llrn', 11);
INSERT INTO used_name VALUES ('locatlon', 13);
INSERT INTO used_name VALUES ('orderlngpollcy', 7);
INSERT INTO used_name VALUES ('pvlbscherna', 8);
INSERT INTO used_name VALUES ('recap', 19);
INSERT INTO used_name VALUES ('rnaskrnatrlx', 2);
INSERT INTO used_name VALUES ('s2', 51);
INSERT INTO used_name VALUES ('sl', 1);
INSERT INTO used_name VALUES ('truncatlonpollcy', 9);
INSERT INTO used_name VALUES ('worldrule', 15);
INSERT INTO asset VALUES (x'fac25ba0dd386fdca0ffebe942afa7f79e65311a2d8e3d1071a8118e2a04010e', 'REQUEST_SPEC', NULL, 48);
INSERT INTO table_digest VALUES ('asset', x'e8d0fe9a481f42760b27de39563147f949f92eddbb99ff648de82eecc778a373');
INSERT INTO table_digest VALUES ('attempt', x'eda9330a6b54e5c83f6083142996560dd16b1592e335c31dae04c2cac1466d44');
INSERT INTO table_digest VALUES ('compaction', x'a34742297103111b990139350e02a5293f092cd6120576e4ecf242f34da531a8');
INSERT INTO table_digest VALUES ('consent', x'd97b6b09e4f00fe67945a58fe4cb87a685cde7875581e42b40a273e4d434634d');
INSERT INTO table_digest VALUES ('detail', x'6961bb7b2a005921c44ecca5627c55124d236f5ebd9c8d5aaad79131f168504e');
INSERT INTO table_digest VALUES ('fact', x'5ded06020ae339ba765af23e7cf19019d2f6f139a16680857c6cdeee58207d8b');
INSERT INTO table_digest VALUES ('guess', x'b8e2fe5d71641eae9b9f8636359b4843ef093674c1ec2b1fb1480600367a3716');
INSERT INTO table_digest VALUES ('learned', x'79be876c3a6f8b37f3daa41265af40af1effd32ef49c6c7074318070e260b269');
INSERT INTO table_digest VALUES ('pin', x'a5ad9f1044edbeda7bf897fea2888edcc96c027a097c67d37260d976987d6d15');
INSERT INTO table_digest VALUES ('pointer', x'6c1ab9886808abbcd9985ba227b9d6b51a2ed658115d167ca06b0ff1cca985bf');
INSERT INTO table_digest VALUES ('unlocked', x'79a9bcc189d6dcd97a4572737f59dae955dd231745fdf8c73cf34d716797ad99');
INSERT INTO table_digest VALUES ('used_name', x'6927a1f7ca9c35d3340ae9b278a31a49efe65db4ce2f901279817e1af31e45b3');
INSERT INTO table_digest VALUES ('visible', x'b3e7197bebd4bb216a37101dc837bb546f87f4fb17bc894f64f6c6f7df72cabe');
CREATE TRIGGER log_no_update BEFORE UPDATE ON log
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_no_delete BEFORE DELETE ON log
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_in_order BEFORE INSERT ON log
WHEN NEW.seq <> 1 + (SELECT coalesce(max(seq), 0) FROM log)
BEGIN SELECT RAISE(ABORT, 'the log is append-only, in order'); END;
CREATE TRIGGER log_moves_head AFTER INSERT ON log
BEGIN UPDATE head SET seq = NEW.seq, chain = NEW.chain; END;
CREATE TRIGGER head_is_of_log BEFORE UPDATE ON head
WHEN NOT EXISTS (SELECT 1 FROM log WHERE seq = NEW.seq AND chain = NEW.chain)
    OR NEW.seq < (SELECT max(seq) FROM log)
BEGIN SELECT RAISE(ABORT, 'the head moves with the log'); END;
CREATE TRIGGER head_no_delete BEFORE DELETE ON head
BEGIN SELECT RAISE(ABORT, 'the head moves with the log'); END;
CREATE UNIQUE INDEX detail_handle ON detail (handle);
CREATE INDEX log_numbers ON log (1);
COMMIT;
