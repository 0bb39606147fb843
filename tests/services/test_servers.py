"""What the other tests rely on: servers are shared, and come back with their data after a stop and after a crash."""

import urllib.request

SERVICES = [("hdfs", {"HDFS_CONF": "dfs.client.block.write.locateFollowingBlock.initial.delay.ms=20 "
                                   "dfs.namenode.delegation.token.always-use=true"})]  # as test_hdfs.py, to share it


def call(server, method, path, query):
    request = urllib.request.Request(f"{server.env['WEBHDFS_URL']}{path}?user.name={server.env['HDFS_USER']}&{query}",
                                     method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read()


def test_a_server_comes_back_with_its_data(scene):
    server = scene.server("hdfs")
    before = server.env
    call(server, "PUT", f"/{scene.name}/first", "op=MKDIRS")
    server.restart()
    call(server, "PUT", f"/{scene.name}/second", "op=MKDIRS")
    server.kill()
    assert not server.running()
    server.start()
    assert server.env == before
    answer = scene.eventually("the name node answers",
                              lambda: call(server, "GET", f"/{scene.name}", "op=LISTSTATUS"))
    assert b'"first"' in answer and b'"second"' in answer, answer
