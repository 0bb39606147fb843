"""A test's topics on a Kafka server: putting messages in, reading them back, by kcat and Kafka's own tools."""

import ctypes
import json
import subprocess

from servers import Unavailable


class Topics:
    """`server`: of a scene. Names of topics begin with the test's, so that tests may share a server."""

    def __init__(self, scene):
        self.scene, self.server = scene, scene.server("kafka")
        self.brokers = self.server.env["KAFKA_BROKERS"]
        self.kafka = self.handle = None

    def name(self, topic):
        return f"{self.scene.name}.{topic}"

    def kcat(self, *words, text=None, seconds=60):
        done = subprocess.run(["kcat", "-q", "-b", self.brokers, *map(str, words)], input=text, capture_output=True,
                              timeout=seconds, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def put(self, topic, messages, partition=0, headers=()):
        """Puts values, or (key, value), into one partition; a value of None is none."""
        words = ["-P", "-t", self.name(topic), "-p", partition, *(word for pair in headers for word in ("-H", pair))]
        if messages and isinstance(messages[0], tuple):
            lines = [f"{key}\x01{'' if value is None else value}" for key, value in messages]
            self.kcat(*words, "-K", "\x01", "-Z", "-D", "\x02", text="\x02".join(lines).encode())
        else:
            self.kcat(*words, "-D", "\x02", text="\x02".join(messages).encode())

    def get(self, topic, *words, committed=True):
        """All messages as (partition, key, value); None where there is none."""
        level = "read_committed" if committed else "read_uncommitted"
        text = self.kcat("-C", "-t", self.name(topic), "-o", "beginning", "-e", "-X", f"isolation.level={level}",
                         "-f", "%p\x01%K\x01%k\x01%S\x01%s\x02", *words)
        messages = [line.split("\x01") for line in text.decode().split("\x02")[:-1]]
        return [(int(partition), None if key_size == "-1" else key, None if size == "-1" else value)
                for partition, key_size, key, size, value in messages]

    def values(self, topic, **others):
        return [json.loads(value) for _, _, value in self.get(topic, **others)]

    def crash(self):
        """Ends the broker as a crash would, and starts it again, once the system has given its port back."""
        self.server.kill()

        def start():
            try:
                self.server.start()
            except Unavailable as problem:
                assert "is taken" in str(problem), problem
                return False
            return True
        self.scene.eventually("the broker", start, 30)

    # ---- what only librdkafka's own functions do ----

    def admin(self, function, argument, count=1):
        """Calls one of the functions that ask brokers for changes, and waits for the answer."""
        kafka, handle = self.library()
        queue = kafka.rd_kafka_queue_new(handle)
        getattr(kafka, function)(handle, ctypes.byref(ctypes.c_void_p(argument)), ctypes.c_size_t(count), None,
                                 ctypes.c_void_p(queue))
        event = kafka.rd_kafka_queue_poll(ctypes.c_void_p(queue), 20000)
        code = kafka.rd_kafka_event_error(ctypes.c_void_p(event)) if event else -1
        kafka.rd_kafka_event_destroy(ctypes.c_void_p(event))
        kafka.rd_kafka_queue_destroy(ctypes.c_void_p(queue))
        assert code == 0, f"{function}: error {code}"

    def library(self):
        if self.handle is None:
            kafka = ctypes.CDLL("librdkafka.so.1")
            for name in ("conf_new", "new", "queue_new", "queue_poll", "NewTopic_new", "DeleteTopic_new", "DeleteRecords_new",
                         "topic_partition_list_new", "AlterConsumerGroupOffsets_new"):
                getattr(kafka, f"rd_kafka_{name}").restype = ctypes.c_void_p
            for name in ("queue_new", "NewTopic_new", "DeleteTopic_new"):
                getattr(kafka, f"rd_kafka_{name}").argtypes = None
            conf = ctypes.c_void_p(kafka.rd_kafka_conf_new())
            kafka.rd_kafka_conf_set(conf, b"bootstrap.servers", self.brokers.encode(), None, ctypes.c_size_t(0))
            self.kafka, self.handle = kafka, ctypes.c_void_p(kafka.rd_kafka_new(0, conf, None, ctypes.c_size_t(0)))
        return self.kafka, self.handle

    def offsets(self, topic, offset, partitions=1):
        kafka, _ = self.library()
        found = kafka.rd_kafka_topic_partition_list_new(partitions)
        for partition in range(partitions):
            kafka.rd_kafka_topic_partition_list_add(ctypes.c_void_p(found), self.name(topic).encode(), partition)
            assert kafka.rd_kafka_topic_partition_list_set_offset(
                ctypes.c_void_p(found), self.name(topic).encode(), partition, ctypes.c_int64(offset)) == 0
        return ctypes.c_void_p(found)

    def make(self, topic, partitions=1):
        kafka, _ = self.library()
        self.admin("rd_kafka_CreateTopics",
                   kafka.rd_kafka_NewTopic_new(self.name(topic).encode(), partitions, 1, None, ctypes.c_size_t(0)))
        self.scene.eventually("the topic", lambda: self.kcat("-L", "-t", self.name(topic)).count(b"leader 1") ==
                              partitions)

    def drop(self, topic):
        kafka, _ = self.library()
        self.admin("rd_kafka_DeleteTopics", kafka.rd_kafka_DeleteTopic_new(self.name(topic).encode()))

    def remove_before(self, topic, offset):
        kafka, _ = self.library()
        self.admin("rd_kafka_DeleteRecords", kafka.rd_kafka_DeleteRecords_new(self.offsets(topic, offset)))

    def set_group(self, group, topic, offset, partitions):
        kafka, _ = self.library()
        self.admin("rd_kafka_AlterConsumerGroupOffsets", kafka.rd_kafka_AlterConsumerGroupOffsets_new(
            group.encode(), self.offsets(topic, offset, partitions)))

    def table(self, name, columns, topic=None, connector="kafka", **options):
        """A CREATE TEMPORARY TABLE of a topic, with these options."""
        pairs = {"connector": connector, "properties.bootstrap.servers": self.brokers}
        if "topic-pattern" not in options:
            pairs["topic"] = self.name(topic or name)
        pairs.update(options)
        texts = ", ".join(f"'{key}' = '{value}'" for key, value in pairs.items())
        return f"CREATE TEMPORARY TABLE {name} ({columns}) WITH ({texts});\n"


# Options that many tests want: everything that is there, and then the end.
ALL = {"scan.startup.mode": "earliest-offset", "scan.bounded.mode": "latest-offset"}
